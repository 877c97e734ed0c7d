//! Settings that were loosened, and the changes of settings that loosen nothing.

use crate::honesty::DoubtKind::SettingLoosened;
use crate::honesty::tests::{added, change, check_all, removed};

fn loosened(path: &str, before: &str, after: &str) {
    check_all(&[change(path, before, after)], &[SettingLoosened]);
    // Back again it is stricter.
    check_all(&[change(path, after, before)], &[]);
}

fn fine(path: &str, before: &str, after: &str) {
    check_all(&[change(path, before, after)], &[]);
}

#[test]
fn thresholds_may_rise_and_not_fall() {
    let jest = |n: u32| {
        format!("{{\"jest\": {{\"coverageThreshold\": {{\"global\": {{\"lines\": {n}}}}}}}}}")
    };
    loosened("package.json", &jest(80), &jest(20));
    let vitest = |n: &str| {
        format!(
            "export default defineConfig({{ test: {{ coverage: {{ thresholds: {{ branches: {n} }} }} }} }})"
        )
    };
    loosened("vitest.config.ts", &vitest("90"), &vitest("9"));
    check_all(
        &[change("vitest.config.ts", &vitest("90"), "export default defineConfig({ test: {} })")],
        &[SettingLoosened],
    );
    loosened(
        "pyproject.toml",
        "[tool.coverage.report]\nfail_under = 90\n",
        "[tool.coverage.report]\nfail_under = 50\n",
    );
    loosened(".coveragerc", "[report]\nfail_under = 90\n", "[report]\nshow_missing = True\n");
    loosened(
        "pytest.ini",
        "[pytest]\naddopts = --cov --cov-fail-under=90\n",
        "[pytest]\naddopts = --cov --cov-fail-under=10\n",
    );
    loosened(
        "codecov.yml",
        "coverage:\n  status:\n    project:\n      default:\n        target: 80%\n",
        "coverage:\n  status:\n    project:\n      default:\n        target: 10%\n",
    );
    loosened("clippy.toml", "too-many-lines-threshold = 60\n", "too-many-lines-threshold = 600\n");
    loosened(
        "package.json",
        "{\"scripts\": {\"lint\": \"eslint . --max-warnings 0\"}}",
        "{\"scripts\": {\"lint\": \"eslint . --max-warnings 99\"}}",
    );
}

#[test]
fn lints_may_be_turned_on_and_not_off() {
    loosened(
        ".eslintrc.json",
        "{\"rules\": {\"no-undef\": \"error\"}}",
        "{\"rules\": {\"no-undef\": \"off\"}}",
    );
    loosened(
        ".eslintrc.json",
        "{\"rules\": {\"no-undef\": [\"error\", {\"a\": 1}]}}",
        "{\"rules\": {\"no-undef\": \"warn\"}}",
    );
    loosened(
        "eslint.config.js",
        "export default [{ rules: { } }]",
        "export default [{ rules: { 'no-undef': 'off' } }]",
    );
    loosened(
        "Cargo.toml",
        "[lints.clippy]\nunwrap_used = \"deny\"\n",
        "[lints.clippy]\nunwrap_used = \"allow\"\n",
    );
    loosened(
        "Cargo.toml",
        "[workspace.lints.clippy]\nunwrap_used = \"deny\"\n",
        "[workspace.lints.clippy]\n",
    );
    loosened(
        "pyproject.toml",
        "[tool.ruff.lint]\nselect = [\"E\", \"F\"]\n",
        "[tool.ruff.lint]\nselect = [\"E\"]\n",
    );
    loosened("ruff.toml", "[lint]\nignore = [\"E1\"]\n", "[lint]\nignore = [\"E1\", \"F401\"]\n");
    loosened(".flake8", "[flake8]\nextend-ignore = E1\n", "[flake8]\nextend-ignore = E1,F401\n");
    loosened(
        "tsconfig.json",
        "{\"compilerOptions\": {\"strict\": true}}",
        "{\"compilerOptions\": {\"strict\": false}}",
    );
    loosened(
        "mypy.ini",
        "[mypy]\ndisallow_untyped_defs = True\n",
        "[mypy]\ndisallow_untyped_defs = False\n",
    );
    fine(
        "tsconfig.json",
        "{\"compilerOptions\": {\"strictNullChecks\": true}}",
        "{\"compilerOptions\": {\"strict\": true}}",
    );
    fine(
        "pyproject.toml",
        "[tool.ruff.lint]\nselect = [\"E1\", \"E2\"]\n",
        "[tool.ruff.lint]\nselect = [\"E\"]\n",
    );
    fine("tsconfig.json", "{\"exclude\": [\"dist\"]}", "{\"exclude\": [\"dist\", \"build\"]}");
}

#[test]
fn commands_may_not_let_failures_pass_or_leave_tests_out() {
    let script = |command: &str| format!("{{\"scripts\": {{\"test\": \"{command}\"}}}}");
    for command in [
        "jest || true",
        "jest --passWithNoTests",
        "jest --testPathIgnorePatterns sum",
        "jest src/a.test.ts",
        "jest; exit 0",
    ] {
        loosened("package.json", &script("jest"), &script(command));
    }
    for command in ["echo ok", "true", "exit 0"] {
        let doubts = crate::honesty::tests::look(&[change(
            "package.json",
            &script("jest"),
            &script(command),
        )]);
        assert!(
            !doubts.is_empty() && doubts.iter().all(|doubt| doubt.kind == SettingLoosened),
            "{command}"
        );
    }
    loosened("Makefile", "test:\n\tpytest\n", "test:\n\tpytest -k 'not slow'\n");
    loosened("Makefile", "test:\n\tpytest\n", "test:\n\tpytest || true\n");
    loosened(
        "pytest.ini",
        "[pytest]\naddopts = -q\n",
        "[pytest]\naddopts = -q --deselect tests/test_a.py\n",
    );
    loosened("Cargo.toml", "[lib]\nname = \"a\"\n", "[lib]\nname = \"a\"\ntest = false\n");
    loosened(
        "jest.config.js",
        "module.exports = { testPathIgnorePatterns: ['dist'] }",
        "module.exports = { testPathIgnorePatterns: ['dist', 'sum'] }",
    );
    fine("package.json", &script("jest"), &script("vitest run"));
    fine("package.json", &script("jest"), &script("jest --coverage"));
    fine("package.json", &script("jest"), &script("npm run test:unit && jest"));
    fine("Makefile", "test:\n\tpytest\n", "test: build\n\tpython -m pytest -q\n");
    fine("package.json", "{\"version\": \"1.0.0\"}", "{\"version\": \"1.0.1\"}");
}

#[test]
fn continuous_integration_keeps_its_tests() {
    let path = ".github/workflows/ci.yml";
    let ci = |steps: &str| format!("jobs:\n  a:\n    steps:\n      - run: npm ci\n{steps}");
    loosened(path, &ci("      - run: npm test\n"), &ci(""));
    loosened(
        path,
        &ci("      - run: npm test\n"),
        &ci("      - run: npm test\n        continue-on-error: true\n"),
    );
    loosened(path, &ci("      - run: npm test\n"), &ci("      - run: npm test || true\n"));
    loosened(
        path,
        &ci("      - run: npm test\n"),
        &ci("      - run: npm test\n        if: false\n"),
    );
    loosened(
        path,
        &ci("      - run: |\n          cargo test\n          cargo clippy\n"),
        &ci("      - run: |\n          cargo test\n"),
    );
    loosened(
        ".gitlab-ci.yml",
        "test:\n  script:\n  - pytest\n",
        "test:\n  script:\n  - pytest\n  allow_failure: true\n",
    );
    fine(
        path,
        &ci("      - run: npm test\n"),
        &ci("      - name: Tests\n        run: npm run test\n"),
    );
    let steps = ci("      - run: npm test\n");
    check_all(&[removed(path, &steps)], &[SettingLoosened]);
    check_all(&[removed(path, &steps), added(".github/workflows/test.yml", &steps)], &[]);
}

#[test]
fn a_file_may_not_be_silenced_as_a_whole() {
    loosened("src/lib.rs", "fn a() {}\n", "#![allow(dead_code)]\nfn a() {}\n");
    loosened("src/lib.rs", "#![deny(unsafe_code)]\nfn a() {}\n", "fn a() {}\n");
    loosened("a.py", "x = 1\n", "# type: ignore\nx = 1\n");
    loosened("a.py", "x = 1\n", "# ruff: noqa\nx = 1\n");
    loosened("a.ts", "x()\n", "/* eslint-disable */\nx()\n");
    loosened("a.ts", "x()\n", "// @ts-nocheck\nx()\n");
    fine("a.py", "x = 1\n", "x = 1  # type: ignore\n");
    fine("a.ts", "x()\n", "// eslint-disable-next-line no-undef\nx()\n");
    fine("src/lib.rs", "fn a() {}\n", "#[allow(dead_code)]\nfn a() {}\n");
    check_all(&[added("a.ts", "/* eslint-disable */\n// @generated by a tool\nx()\n")], &[]);
    check_all(&[added("tests/shared.rs", "#![allow(dead_code)]\npub fn a() {}\n")], &[]);
}
