//! What an agent that asks is answered: by the kind of what it wants to do and by the kind of the answers it offers, never by their names,
//! which every agent has others for.

use agent_client_protocol::v1::schema::{PermissionOption, PermissionOptionKind, ToolKind};

use crate::request::Access;

/// A writer may do everything that the fence lets it; a reader what leaves no trace.
pub(super) fn is_allowed(access: Access, kind: Option<ToolKind>) -> bool {
    match access {
        Access::Writable => true,
        Access::ReadOnly => matches!(
            kind,
            Some(ToolKind::Read | ToolKind::Search | ToolKind::Think | ToolKind::Fetch)
        ),
    }
}

/// The narrowest of the answers that say so. `None` where there is none such: then the question is called off.
pub(super) fn choose(options: &[PermissionOption], is_allowed: bool) -> Option<&PermissionOption> {
    let wanted = match is_allowed {
        true => [PermissionOptionKind::AllowOnce, PermissionOptionKind::AllowAlways],
        false => [PermissionOptionKind::RejectOnce, PermissionOptionKind::RejectAlways],
    };
    wanted.iter().find_map(|kind| options.iter().find(|option| option.kind == *kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn option(id: &str, kind: PermissionOptionKind) -> PermissionOption {
        PermissionOption::new(id.to_string(), "Yes, proceed".to_string(), kind)
    }

    #[test]
    fn the_kind_of_an_answer_counts_and_not_its_name_or_place() {
        use PermissionOptionKind::{AllowAlways, AllowOnce, RejectAlways, RejectOnce};
        let options = [
            option("reject", AllowAlways),
            option("cancel", AllowOnce),
            option("allow", RejectAlways),
            option("proceed_once", RejectOnce),
        ];
        let chosen = |options: &[PermissionOption], is_allowed| {
            choose(options, is_allowed).map(|option| option.option_id.to_string())
        };
        assert_eq!(chosen(&options, true).as_deref(), Some("cancel"));
        assert_eq!(chosen(&options, false).as_deref(), Some("proceed_once"));
        assert_eq!(chosen(&options[..1], true).as_deref(), Some("reject"));
        assert_eq!(chosen(&options[..2], false), None);
        assert_eq!(chosen(&[], true), None);
    }

    #[test]
    fn a_reader_may_only_read() {
        for kind in [ToolKind::Read, ToolKind::Search, ToolKind::Think, ToolKind::Fetch] {
            assert!(is_allowed(Access::ReadOnly, Some(kind)), "{kind:?}");
        }
        for kind in [
            ToolKind::Edit,
            ToolKind::Delete,
            ToolKind::Move,
            ToolKind::Execute,
            ToolKind::SwitchMode,
            ToolKind::Other,
        ] {
            assert!(!is_allowed(Access::ReadOnly, Some(kind)), "{kind:?}");
            assert!(is_allowed(Access::Writable, Some(kind)), "{kind:?}");
        }
        assert!(!is_allowed(Access::ReadOnly, None), "what is not told is not read");
    }
}
