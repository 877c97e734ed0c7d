//! ROAD-1 to ROAD-4 on whole roadmaps.
