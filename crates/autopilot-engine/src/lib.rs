//! The hands: finds the project, reads its files and settings, starts every process. Decisions stay in `autopilot-core`.
