//! ROAD-6.
