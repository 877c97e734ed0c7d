//! The report of a whole project, compared as a whole.

use super::*;
use crate::run::story;

#[test]
fn a_complete_run_says_how_far_the_whole_project_is() {
    let story = story::told();
    insta::assert_snapshot!("batch_report", document(&story.state, Moment(1_767_323_045_000)));
    assert_eq!(percent(&story.state), 60);
}
