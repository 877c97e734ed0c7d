//! What Gemini CLI is set to for an attempt: what the user's settings say of the login, the model and the project's rules, and what keeps
//! everything else of the user's out.

use serde_json::{Map, Value, json};

use crate::{jsonc, limits};

/// Of the user's settings file, the part that counts here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct OfTheUser {
    auth: Option<Value>,
    model: Option<Value>,
    rule_files: Option<Value>,
    attempts: Option<u64>,
}

/// What a project may call its rules when the user does not say.
const RULE_FILES: [&str; 2] = ["GEMINI.md", "AGENTS.md"];

impl OfTheUser {
    /// A file that cannot be read says nothing.
    pub(super) fn read(text: Option<&str>) -> OfTheUser {
        let plain = jsonc::plain(text.unwrap_or_default());
        let own: Map<String, Value> = serde_json::from_str(&plain).unwrap_or_default();
        let at = |group: &str, name: &str| own.get(group).and_then(|group| group.get(name));
        OfTheUser {
            auth: at("security", "auth").filter(|auth| auth.is_object()).cloned(),
            model: at("model", "name").filter(|name| name.is_string()).cloned(),
            rule_files: at("context", "fileName").cloned(),
            attempts: at("general", "maxAttempts").and_then(Value::as_u64),
        }
    }

    pub(super) fn login_type(&self) -> Option<&str> {
        self.auth.as_ref()?.get("selectedType")?.as_str()
    }

    /// The settings of the attempt. A project's own come after them and win, so hooks are off unless a project insists; servers cannot
    /// be let in again, for lists of the allowed are cut with each other.
    pub(super) fn private(&self) -> Vec<u8> {
        let attempts_max = u64::from(limits::GEMINI_ATTEMPTS_MAX);
        let attempts = self.attempts.unwrap_or(attempts_max).clamp(1, attempts_max);
        let mut model = json!({"maxSessionTurns": limits::TURNS_MAX});
        if let Some(name) = &self.model {
            model["name"] = name.clone();
        }
        let mut security = json!({"folderTrust": {"enabled": false}});
        if let Some(auth) = &self.auth {
            security["auth"] = auth.clone();
        }
        let settings = json!({
            "general": {
                "enableAutoUpdate": false, "enableAutoUpdateNotification": false,
                "maxAttempts": attempts,
            },
            "context": {"fileName": self.rule_files.clone().unwrap_or_else(|| json!(RULE_FILES))},
            "hooksConfig": {"enabled": false},
            "ide": {"enabled": false},
            "mcp": {"allowed": []},
            "model": model,
            "privacy": {"usageStatisticsEnabled": false},
            "security": security,
            "telemetry": {"enabled": false},
        });
        settings.to_string().into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn private(text: &str) -> Value {
        serde_json::from_slice(&OfTheUser::read(Some(text)).private()).unwrap()
    }

    #[test]
    fn login_model_and_rules_are_kept_and_the_rest_stays_out() {
        let private = private(
            r#"{
              // A comment with "quotes".
              "security": {"auth": {"selectedType": "oauth-personal"}, "folderTrust": {"enabled": true}},
              "model": {"name": "gemini-2.5-flash", "maxSessionTurns": 1}, /* and
              another */ "context": {"fileName": ["RULES.md"]},
              "mcpServers": {"x": {"command": "http://not//a comment"}},
              "hooks": {"SessionStart": []}, "general": {"maxAttempts": 2}
            }"#,
        );
        assert_eq!(private["security"]["auth"], json!({"selectedType": "oauth-personal"}));
        assert_eq!(private["security"]["folderTrust"]["enabled"], false);
        assert_eq!(private["model"], json!({"maxSessionTurns": 300, "name": "gemini-2.5-flash"}));
        assert_eq!(private["context"]["fileName"], json!(["RULES.md"]));
        assert_eq!(private["general"]["maxAttempts"], 2);
        assert_eq!((private.get("mcpServers"), private.get("hooks")), (None, None));
    }

    #[test]
    fn without_settings_or_with_broken_ones_ours_stand() {
        for text in ["", "{", "[]", r#"{"security": 1, "general": {"maxAttempts": 99}}"#, "\"/*"] {
            let private = private(text);
            assert_eq!(private["security"], json!({"folderTrust": {"enabled": false}}), "{text}");
            assert_eq!(private["general"]["maxAttempts"], 4, "{text}");
            assert_eq!(private["context"]["fileName"], json!(["GEMINI.md", "AGENTS.md"]));
            assert_eq!(private["hooksConfig"]["enabled"], false);
        }
    }
}
