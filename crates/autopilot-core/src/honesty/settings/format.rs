//! Which files are settings of tests, lints or continuous integration, told by their names, and how they are written.

use crate::honesty::language::{extension, file_name};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Objects,
    Lines,
    Yaml,
    Makefile,
}

/// Names that begin so, whatever language the rest is in.
const OBJECT_STARTS: [&str; 10] = [
    "jest.config",
    "vitest.config",
    "vitest.workspace",
    "vite.config",
    "eslint.config",
    "playwright.config",
    "karma.conf",
    "cypress.config",
    ".nycrc",
    ".c8rc",
];
const OBJECTS: [&str; 6] =
    ["package.json", "biome.json", "biome.jsonc", "deno.json", "deno.jsonc", "composer.json"];
const LINES: [&str; 18] = [
    "cargo.toml",
    "pyproject.toml",
    "clippy.toml",
    ".clippy.toml",
    "ruff.toml",
    ".ruff.toml",
    "tarpaulin.toml",
    "nextest.toml",
    "pytest.ini",
    "setup.cfg",
    "tox.ini",
    ".flake8",
    "mypy.ini",
    ".mypy.ini",
    ".coveragerc",
    ".pylintrc",
    "build.gradle",
    "build.gradle.kts",
];
const YAML: [&str; 11] = [
    ".gitlab-ci.yml",
    "azure-pipelines.yml",
    "bitbucket-pipelines.yml",
    ".travis.yml",
    "codecov.yml",
    ".codecov.yml",
    ".golangci.yml",
    ".golangci.yaml",
    ".rubocop.yml",
    "taskfile.yml",
    ".pre-commit-config.yaml",
];
const MAKEFILES: [&str; 3] = ["makefile", "gnumakefile", "justfile"];

pub(super) fn format(path: &str) -> Option<Format> {
    let lower = file_name(path).to_ascii_lowercase();
    let name = lower.as_str();
    let is_yaml = matches!(extension(path), "yml" | "yaml");
    let is_pipeline = path.contains(".github/workflows/") || path.contains(".circleci/");
    let is_typescript = name.starts_with("tsconfig") && name.ends_with(".json");
    let is_eslint = name.starts_with(".eslintrc");
    if MAKEFILES.contains(&name) {
        return Some(Format::Makefile);
    }
    if LINES.contains(&name) {
        return Some(Format::Lines);
    }
    if YAML.contains(&name) || (is_yaml && (is_pipeline || is_eslint)) {
        return Some(Format::Yaml);
    }
    let is_object =
        OBJECTS.contains(&name) || OBJECT_STARTS.iter().any(|start| name.starts_with(start));
    (is_object || is_typescript || is_eslint).then_some(Format::Objects)
}
