//! What tests stand on: temporary projects, the built command, generated roadmaps, the rules of the repository.
