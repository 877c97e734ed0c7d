//! The built program as a user meets it: what it prints, at which width, and how it ends. One binary for all of them.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on fails, and says where"
)]

#[path = "cli/book.rs"]
mod book;
#[path = "cli/demo.rs"]
mod demo;
#[path = "cli/documentation.rs"]
mod documentation;
#[path = "cli/faulty_files.rs"]
mod faulty_files;
#[path = "cli/logs.rs"]
mod logs;
#[path = "cli/new.rs"]
mod new;
#[path = "cli/replay.rs"]
mod replay;
#[path = "cli/screens.rs"]
mod screens;
#[path = "cli/documents.rs"]
mod documents;
#[path = "cli/init_and_doctor.rs"]
mod init_and_doctor;

use std::path::Path;

use autopilot_testkit::built_command::BuiltCommand;
use autopilot_testkit::temporary_project::TemporaryProject;

const PROGRAM: &str = env!("CARGO_BIN_EXE_autopilot");

fn autopilot(folder: &Path) -> BuiltCommand {
    BuiltCommand::new(PROGRAM, folder).variable("HOME", folder.to_str().unwrap())
}

/// A shop with a bit of everything: done, half done, inserted, parallel, waiting, backlog.
const SHOP: &str = "\
# Roadmap: Shop\n\n## Phases\n\n\
- [x] **Phase 1: Storage** - Orders survive a restart\n\
- [ ] **Phase 2: Login** - People have accounts\n\
- [ ] **Phase 2.1: Password reset** (INSERTED) - A lost password is no lost account\n\
- [ ] **Phase 3: Cart** - Things are put aside before they are bought\n\
- [ ] **Phase 4: Payment** - Money arrives\n\
- [ ] **Phase 999.1: Gift cards** - Later\n\n\
## Phase Details\n\n\
### Phase 1: Storage\n**Goal**: Orders survive a restart\n\n\
### Phase 2: Login\n**Goal**: People have accounts\n**Depends on**: Phase 1\n**Requirements**: AUTH-01\n\
**Success Criteria** (what must be TRUE):\n  1. A wrong password is refused -- verified by: `make test-login`\n  2. It feels quick\n\n\
### Phase 2.1: Password reset\n**Goal**: A lost password is no lost account\n**Depends on**: Phase 2\n\n\
### Phase 3: Cart\n**Goal**: Things are put aside before they are bought\n**Depends on**: Phase 1, when the moon is full\n\n\
### Phase 4: Payment\n**Goal**: Money arrives\n**Depends on**: Phases 2-3\n\n\
### Phase 999.1: Gift cards (BACKLOG)\n**Goal**: Later\n";

fn shop() -> TemporaryProject {
    TemporaryProject::with_roadmap(SHOP)
        .and_then(|project| project.file("Makefile", "test:\n\ttrue\n"))
        .and_then(|project| {
            project.file(".planning/config.json", "{\"model_profle\": \"quality\"}\n")
        })
        .unwrap()
}
