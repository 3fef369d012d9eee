// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! Runs tests on mutants.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::cases::{Case, Ending};
use crate::list::{List, Mutant};
use crate::records::Records;
use crate::results::{Longer, Outcome, Results, Sound};
use crate::{Error, Result};

/// A test hangs that takes longer than this, and than so many times as long as without a mutant.
const HANG: Duration = Duration::from_secs(20);
const HANG_FACTOR: f64 = 5.0;
/// The longest test without a mutant.
const SOUND_LIMIT: Duration = Duration::from_secs(1800);
/// What a test may take in the first attempt, of the seconds that are asked for.
const FIRST_SHARE: f64 = 1.0 / 8.0;
/// Of how many seconds of tests those are chosen that run, for each second of them.
const CHOICE: f64 = 4.0;
/// Its multiples are spread over all numbers of 32 bits: 2^32 by the golden ratio.
const SPREAD: u32 = 0x9E37_79B9;
/// Between two lines about how far it is.
const PROGRESS: Duration = Duration::from_secs(60);

/// How to run the tests.
pub struct Plan<'a> {
    /// All of them.
    pub cases: &'a [Case],
    /// Titles of those that a netlist cannot pass.
    pub left_out: &'a [String],
    /// What is known of them from other samples.
    pub records: &'a Records,
    /// Mutants of which it is explained why they live: they come behind all others.
    pub explained: &'a BTreeSet<u32>,
    /// The folder that they run in.
    pub folder: &'a Path,
    /// Processes at a time.
    pub jobs: usize,
    /// Seconds of tests for a mutant, without it: those that have found most in their time. All without a number.
    pub seconds: Option<f64>,
}

/// Runs each of `items` on one of so many threads; ends with the first error.
fn in_parallel<T: Sync>(
    jobs: usize,
    items: &[T],
    run: impl Fn(&T) -> Result<()> + Sync + Send,
) -> Result<()> {
    let threads = rayon::ThreadPoolBuilder::new().num_threads(jobs).build()?;
    // One at a time: a mutant may take much longer than others.
    threads.install(|| items.par_iter().with_max_len(1).try_for_each(run))
}

/// Runs those of the tests without a mutant of which it is not known yet whether they end within `limit`.
fn run_without_mutant(
    plan: &Plan,
    cases: &[Case],
    limit: Duration,
    results: &Mutex<&mut Results>,
) -> Result<()> {
    let is_new = |case: &&Case| {
        let (known, title) = (lock(results), case.title());
        let longer = known.longer.get(&title).copied().unwrap_or(0.0);
        !known.sound.contains_key(&title) && longer < limit.as_secs_f64()
    };
    let new: Vec<_> = cases.iter().filter(is_new).collect();
    if !new.is_empty() {
        eprintln!(
            "mutants: {} tests without a mutant, for {:.0} s at most",
            new.len(),
            limit.as_secs_f64()
        );
    }
    in_parallel(plan.jobs, &new, |case| {
        let of_case = case.run_without(plan.folder, limit)?;
        let (test, seconds) = (case.title(), of_case.time.as_secs_f64());
        let mut results = lock(results);
        match of_case.ending {
            Ending::Hung if limit < SOUND_LIMIT => results.add_longer(Longer { test, seconds }),
            ending => results.add_sound(Sound {
                test,
                passes: ending == Ending::Passed,
                seconds,
                differs: of_case.differs,
            }),
        }
    })
}

/// The tests that pass without a mutant, the shortest first, with their seconds: so many that there is a choice, and those
/// that have found one.
fn sound_cases(
    plan: &Plan,
    finders: &BTreeMap<u32, &str>,
    results: &Mutex<&mut Results>,
) -> Result<Vec<(Case, f64)>> {
    // What asks for seconds wants short tests, and need not wait for the others: how short they are is found by a limit
    // that doubles.
    let mut limit = plan.seconds.map_or(SOUND_LIMIT, |most| {
        Duration::from_secs_f64(most * FIRST_SHARE).min(SOUND_LIMIT)
    });
    loop {
        run_without_mutant(plan, plan.cases, limit, results)?;
        let known = lock(results);
        let within = (plan.cases.iter())
            .filter_map(|case| known.sound.get(&case.title()))
            .filter(|sound| sound.passes && sound.seconds <= limit.as_secs_f64());
        let sum: f64 = within.map(|sound| sound.seconds).sum();
        if limit == SOUND_LIMIT || plan.seconds.is_some_and(|most| sum >= CHOICE * most) {
            break;
        }
        limit = (2 * limit).min(SOUND_LIMIT);
    }
    let is_finder = |case: &&Case| finders.values().any(|&title| title == case.title());
    let of_finders: Vec<_> = plan.cases.iter().filter(is_finder).cloned().collect();
    run_without_mutant(plan, &of_finders, SOUND_LIMIT, results)?;
    let sound = &lock(results).sound;
    let mut cases = Vec::new();
    let mut unsound = Vec::new();
    for case in plan.cases {
        let title = case.title();
        let Some(of_case) = sound.get(&title) else {
            continue; // It is longer than those that are asked for.
        };
        if of_case.passes {
            cases.push((case.clone(), of_case.seconds));
        } else if !plan.left_out.contains(&title) {
            unsound.push(title);
        }
    }
    if !unsound.is_empty() {
        return Err(Error::Unsound { tests: unsound });
    }
    cases.sort_by(|a, b| a.1.total_cmp(&b.1));
    let fits = |seconds: f64| plan.seconds.is_none_or(|most| seconds <= most);
    match cases.iter().any(|(_, seconds)| fits(*seconds)) {
        true => Ok(cases),
        false => Err(Error::NoTest),
    }
}

fn lock<'a, T>(mutex: &'a Mutex<T>) -> std::sync::MutexGuard<'a, T> {
    mutex.lock().expect("no thread panics")
}

/// Runs the tests on every mutant of the list that is not known yet.
///
/// A mutant meets the test first that has found it before, and then those that found most of the same file in the least time:
/// what they say does not depend on the order. It meets no test in which it changes nothing, as far as the netlist has said so. Those
/// of which it is explained why they live come last, each of which takes all of its seconds.
///
/// # Errors
///
/// If a program does not start, a test does not pass without a mutant, a test finds a mutant of which the netlist said that it
/// changes nothing in it, or the results cannot be written.
pub fn run(list: &List, plan: &Plan, results: &mut Results) -> Result<()> {
    let results = Mutex::new(results);
    let finders = plan.records.finders(list);
    let cases = sound_cases(plan, &finders, &results)?;
    let titles: Vec<_> = cases.iter().map(|(case, _)| case.title()).collect();
    let sound: Vec<_> = {
        let known = &lock(&results).sound;
        titles.iter().map(|title| known[title].clone()).collect()
    };
    let finder = |mutant: u32| -> Option<usize> {
        let title = *finders.get(&mutant)?;
        titles.iter().position(|known| known == title)
    };
    // What a mutant meets next: the test that has found it, and then, of those in which it changes anything, those that fit
    // into the seconds that are for others.
    let are_left = |mutant: u32, passed: &[String]| -> Vec<usize> {
        let has_passed = |&number: &usize| passed.contains(&titles[number]);
        let finder = finder(mutant);
        if let Some(finder) = finder.filter(|finder| !has_passed(finder)) {
            return vec![finder];
        }
        let others = (0..cases.len()).filter(|&number| Some(number) != finder);
        let (met, new): (Vec<_>, Vec<_>) = others.partition(has_passed);
        let spent: f64 = met.iter().map(|&number| cases[number].1).sum();
        let fits = |number: &usize| {
            let most = plan.seconds.unwrap_or(f64::INFINITY);
            !sound[*number].is_blind_to(mutant) && spent + cases[*number].1 <= most
        };
        new.into_iter().filter(fits).collect()
    };
    let is_open = |number: u32| {
        let known = lock(&results).outcomes.get(&number).cloned();
        known.is_none_or(|known| {
            known.found_by.is_none() && !are_left(number, &known.passed).is_empty()
        })
    };
    let mut open: Vec<_> = (list.mutants.iter())
        .filter(|mutant| !mutant.compared.is_without_effect() && is_open(mutant.number))
        .collect();
    // The list is in the order of the files: those that were run are a sample of all of them at any time.
    open.sort_by_key(|mutant| mutant.number.wrapping_mul(SPREAD));
    let sum: f64 = cases.iter().map(|(_, seconds)| seconds).sum();
    eprintln!(
        "mutants: {} mutants, {} tests of {sum:.0} s, of which each meets {:.0} s at most",
        open.len(),
        cases.len(),
        plan.seconds.unwrap_or(sum).min(sum)
    );
    let mut records = plan.records.clone();
    records.extend(&Records::new(list, &lock(&results)));
    let records = Mutex::new(records);
    let progress = Mutex::new((Instant::now(), 0usize, 0usize));
    let count = open.len();
    let run_one = |of_list: &&Mutant| {
        let (mutant, file) = (of_list.number, &of_list.file);
        let before = lock(&results).outcomes.get(&mutant).cloned();
        let mut outcome = before.unwrap_or_else(|| Outcome {
            mutant,
            found_by: None,
            hung: false,
            passed: Vec::new(),
            seconds: 0.0,
        });
        loop {
            let left = are_left(mutant, &outcome.passed);
            let next = most_promising(left, &cases, file, &lock(&records));
            let Some(number) = next else { break };
            let (case, seconds) = &cases[number];
            let title = &titles[number];
            let limit = HANG.max(Duration::from_secs_f64(seconds * HANG_FACTOR));
            let (ending, time) = case.run(plan.folder, mutant, limit)?;
            outcome.seconds += time.as_secs_f64();
            let is_found = ending != Ending::Passed;
            // Those that have found a mutant before are asked whatever is said of them.
            if ending == Ending::Failed && sound[number].is_blind_to(mutant) {
                let test = title.clone();
                return Err(Error::Blind { test, mutant });
            }
            lock(&records).add(title, file, is_found);
            if is_found {
                outcome.found_by = Some(title.clone());
                outcome.hung = ending == Ending::Hung;
                break;
            }
            outcome.passed.push(title.clone());
        }
        let lives = outcome.found_by.is_none();
        lock(&results).add(outcome)?;
        let mut progress = lock(&progress);
        let (said, done, living) = &mut *progress;
        *done += 1;
        *living += usize::from(lives);
        if said.elapsed() >= PROGRESS {
            *said = Instant::now();
            eprintln!("mutants: {done} of {count}, {living} of them live");
        }
        Ok(())
    };
    let (explained, others): (Vec<_>, Vec<_>) =
        (open.into_iter()).partition(|mutant| plan.explained.contains(&mutant.number));
    in_parallel(plan.jobs, &others, run_one)?;
    in_parallel(plan.jobs, &explained, run_one)
}

/// The test that is to be expected to find most mutants of a file in a second, of those with these numbers.
fn most_promising(
    numbers: Vec<usize>,
    cases: &[(Case, f64)],
    file: &str,
    records: &Records,
) -> Option<usize> {
    let worth = |number: &usize| {
        let (case, seconds) = &cases[*number];
        records.share(&case.title(), file) / seconds.max(0.1)
    };
    // The first one of equal ones.
    let better = |a: &usize, b: &usize| worth(a).total_cmp(&worth(b)).then(b.cmp(a));
    numbers.into_iter().max_by(better)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::cases::tests::program;
    use crate::list::tests::mutant;

    /// A list of so many mutants.
    fn list(count: u32) -> List {
        List {
            top: "acclmt_core".to_owned(),
            seed: 1,
            per_file: count,
            mutants: (1..=count)
                .map(|number| mutant(number, "rtl/tree/a.sv", 1))
                .collect(),
            digest: "a".to_owned(),
        }
    }

    /// Runs a program of three tests: `short` finds mutant 1, `long` finds 1 and 2, `wrong` never passes.
    fn outcomes(seconds: Option<f64>, results: &Path) -> BTreeMap<u32, Outcome> {
        let folder = tempfile::tempdir().unwrap();
        let text =
            "case $2$ACCLMT_MUTANT in short1|long1|long2|wrong*) exit 1;; long0) sleep 0.5; esac";
        let program = program(folder.path(), text);
        let cases = ["short", "long", "wrong"].map(|name| Case {
            program: program.clone(),
            name: name.to_owned(),
        });
        let list = list(3);
        let plan = Plan {
            cases: &cases,
            records: &Records::default(),
            explained: &BTreeSet::new(),
            left_out: &["chip::wrong".to_owned()],
            folder: folder.path(),
            jobs: 2,
            seconds,
        };
        let mut results = Results::open(results, &list).unwrap();
        run(&list, &plan, &mut results).unwrap();
        results.outcomes
    }

    #[test]
    fn mutants_are_found_by_tests_that_pass_without_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.jsonl");
        // The shorter tests first: mutant 2 lives.
        let of = outcomes(Some(0.4), &path);
        assert_eq!(of[&1].found_by.as_deref(), Some("chip::short"));
        assert_eq!(
            (&of[&2].found_by, &of[&2].passed[..]),
            (&None, &["chip::short".to_owned()][..])
        );
        // All of them: those that live are asked the others.
        let of = outcomes(None, &path);
        assert_eq!(of[&2].found_by.as_deref(), Some("chip::long"));
        assert_eq!((&of[&3].found_by, of[&3].passed.len()), (&None, 2));
    }

    /// `short` would find every mutant, and the netlist says that 1 and 3 alone change anything in it.
    #[test]
    fn tests_in_which_a_mutant_changes_nothing_are_not_run() {
        let folder = tempfile::tempdir().unwrap();
        let text = "test -z \"$ACCLMT_MUTANT_DIFFERENCES\" || printf '1\\n3\\n' >$ACCLMT_MUTANT_DIFFERENCES; \
                    case $2$ACCLMT_MUTANT in short[123]) exit 1; esac";
        let program = program(folder.path(), text);
        let case = Case {
            program,
            name: "short".to_owned(),
        };
        let list = list(3);
        let plan = Plan {
            cases: &[case],
            records: &Records::default(),
            explained: &BTreeSet::new(),
            left_out: &[],
            folder: folder.path(),
            jobs: 1,
            seconds: None,
        };
        let path = folder.path().join("results.jsonl");
        for _ in 0..2 {
            // The second time it is known from the file.
            let mut results = Results::open(&path, &list).unwrap();
            run(&list, &plan, &mut results).unwrap();
            let is_found = |number| {
                let outcome = results.outcomes.get(&number);
                outcome.map(|outcome| outcome.found_by.is_some())
            };
            assert_eq!([1, 2, 3].map(is_found), [true, false, true].map(Some));
        }
        // That it has found mutant 2 before is against what the netlist says.
        let known = folder.path().join("records.json");
        let text = r#"{"netlist": "a", "found": {"chip::short": [2]}, "asked": {}}"#;
        std::fs::write(&known, text).unwrap();
        let plan = Plan {
            records: &Records::read(&known).unwrap(),
            ..plan
        };
        let mut results = Results::open(&folder.path().join("r.jsonl"), &list).unwrap();
        let error = run(&list, &plan, &mut results).unwrap_err().to_string();
        assert!(error.contains("chip::short finds mutant 2"), "{error}");
    }

    #[test]
    fn explained_mutants_come_last() {
        let folder = tempfile::tempdir().unwrap();
        let text = "test $ACCLMT_MUTANT = 0 || echo $ACCLMT_MUTANT >>order";
        let case = Case {
            program: program(folder.path(), text),
            name: "root".to_owned(),
        };
        let list = list(5);
        for explained in [[1, 2], [3, 5], [2, 4]].map(BTreeSet::from) {
            let plan = Plan {
                cases: std::slice::from_ref(&case),
                records: &Records::default(),
                explained: &explained,
                left_out: &[],
                folder: folder.path(),
                jobs: 1,
                seconds: None,
            };
            let path = folder.path().join("r.jsonl");
            run(&list, &plan, &mut Results::open(&path, &list).unwrap()).unwrap();
            let order = std::fs::read_to_string(folder.path().join("order")).unwrap();
            let order: Vec<u32> = order.lines().map(|line| line.parse().unwrap()).collect();
            assert_eq!(order.len(), 5);
            assert_eq!(BTreeSet::from([order[3], order[4]]), explained);
            std::fs::remove_file(path).unwrap();
            std::fs::remove_file(folder.path().join("order")).unwrap();
        }
    }

    #[test]
    fn a_netlist_that_is_wrong_without_a_mutant_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let program = program(folder.path(), "exit 1");
        let cases = ["root", "leaf"].map(|name| Case {
            program: program.clone(),
            name: name.to_owned(),
        });
        let list = list(1);
        let mut results = Results::open(&folder.path().join("r.jsonl"), &list).unwrap();
        let leaf = ["chip::leaf".to_owned()];
        for (left_out, said) in [
            (&[][..], "chip::root, chip::leaf do not pass"),
            (&leaf, "chip::root does not pass"),
        ] {
            let plan = Plan {
                cases: &cases,
                records: &Records::default(),
                explained: &BTreeSet::new(),
                left_out,
                folder: folder.path(),
                jobs: 1,
                seconds: None,
            };
            let error = run(&list, &plan, &mut results).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
        assert!(results.outcomes.is_empty());
    }

    /// Six tests of known times suffice, and a seventh never ends.
    #[test]
    fn the_shortest_tests_do_not_wait_for_the_others() {
        let folder = tempfile::tempdir().unwrap();
        let program = program(folder.path(), "case $2 in long) exec sleep 1000; esac");
        let shorts = ["a", "b", "c", "d", "e", "f"];
        let cases = ["long"].into_iter().chain(shorts).map(|name| Case {
            program: program.clone(),
            name: name.to_owned(),
        });
        let cases: Vec<_> = cases.collect();
        let list = list(1);
        let path = folder.path().join("r.jsonl");
        let mut results = Results::open(&path, &list).unwrap();
        for name in shorts {
            let sound = Sound {
                test: format!("chip::{name}"),
                passes: true,
                seconds: 0.15,
                differs: None,
            };
            results.add_sound(sound).unwrap();
        }
        let plan = Plan {
            cases: &cases,
            records: &Records::default(),
            explained: &BTreeSet::new(),
            left_out: &[],
            folder: folder.path(),
            jobs: 1,
            seconds: Some(0.2),
        };
        run(&list, &plan, &mut results).unwrap();
        assert_eq!(results.outcomes[&1].passed, ["chip::a"]);
        // Limits of 0.025 s to 0.2 s, and it is kept that it takes longer than the last.
        let longer = Results::open(&path, &list).unwrap().longer["chip::long"];
        assert!(longer >= 0.2, "{longer}");
        assert!(!results.sound.contains_key("chip::long"));
    }

    #[test]
    fn tests_that_find_much_come_first() {
        let case = |name: &str| Case {
            program: "chip".into(),
            name: name.to_owned(),
        };
        let cases = [(case("a"), 1.0), (case("b"), 2.0)];
        let first = |file: &str, records: &Records| {
            most_promising((0..cases.len()).collect(), &cases, file, records)
        };
        assert_eq!(first("rtl/tree/a.sv", &Records::default()), Some(0));
        let mut records = Records::default();
        for _ in 0..10 {
            records.add("chip::a", "rtl/tree/a.sv", false);
        }
        records.add("chip::b", "rtl/tree/a.sv", true);
        assert_eq!(first("rtl/tree/a.sv", &records), Some(1));
        for _ in 0..20 {
            records.add("chip::b", "rtl/field/b.sv", false);
            records.add("chip::a", "rtl/field/b.sv", true);
        }
        assert_eq!(first("rtl/field/b.sv", &records), Some(0));
        assert_eq!(first("rtl/tree/a.sv", &records), Some(1));
        assert_eq!(
            most_promising(Vec::new(), &cases, "rtl/tree/a.sv", &records),
            None
        );
    }

    /// Of more tests than there is time for a mutant meets those that fit, and the others when there is more time.
    #[test]
    fn each_mutant_meets_what_fits() {
        let folder = tempfile::tempdir().unwrap();
        let program = program(folder.path(), "exit 0");
        let cases = ["a", "b", "c", "d"].map(|name| Case {
            program: program.clone(),
            name: name.to_owned(),
        });
        let list = list(1);
        let path = folder.path().join("r.jsonl");
        let mut results = Results::open(&path, &list).unwrap();
        for (test, seconds) in [("a", 3.0), ("b", 4.0), ("c", 5.0), ("d", 28.0)] {
            let sound = Sound {
                test: format!("chip::{test}"),
                passes: true,
                seconds,
                differs: None,
            };
            results.add_sound(sound).unwrap();
        }
        for (seconds, expected) in [
            (Some(8.0), vec!["chip::a", "chip::b"]),
            (Some(12.0), vec!["chip::a", "chip::b", "chip::c"]),
            (None, vec!["chip::a", "chip::b", "chip::c", "chip::d"]),
        ] {
            let plan = Plan {
                cases: &cases,
                records: &Records::default(),
                explained: &BTreeSet::new(),
                left_out: &[],
                folder: folder.path(),
                jobs: 1,
                seconds,
            };
            run(&list, &plan, &mut results).unwrap();
            assert_eq!(results.outcomes[&1].passed, expected, "{seconds:?}");
        }
    }

    /// A test that takes longer than there is time for is asked first where it has found the mutant of that list before,
    /// and others are asked where it does not do so any more.
    #[test]
    fn what_has_found_a_mutant_is_asked_first() {
        let folder = tempfile::tempdir().unwrap();
        let text = "case $2$ACCLMT_MUTANT in long0) sleep 1;; long1|short*[123]) exit 1;; esac";
        let program = program(folder.path(), text);
        let cases = ["short", "long"].map(|name| Case {
            program: program.clone(),
            name: name.to_owned(),
        });
        let list = list(3);
        let known = r#"{"netlist": "NETLIST", "found": {"chip::gone": [3], "chip::long": [1, 2]}, "asked": {}}"#;
        for (netlist, finders) in [
            ("a", ["chip::long", "chip::short", "chip::short"]),
            ("b", ["chip::short"; 3]),
        ] {
            let path = folder.path().join(netlist);
            std::fs::write(&path, known.replace("NETLIST", netlist)).unwrap();
            let records = Records::read(&path).unwrap();
            let plan = Plan {
                cases: &cases,
                records: &records,
                explained: &BTreeSet::new(),
                left_out: &[],
                folder: folder.path(),
                jobs: 1,
                seconds: Some(0.5),
            };
            let path = folder.path().join(format!("{netlist}.jsonl"));
            let mut results = Results::open(&path, &list).unwrap();
            run(&list, &plan, &mut results).unwrap();
            let found_by = |number: u32| results.outcomes[&number].found_by.as_deref();
            assert_eq!([1, 2, 3].map(found_by), finders.map(Some), "{netlist}");
            let met_long = results.outcomes[&2].passed == ["chip::long"];
            assert_eq!(met_long, netlist == "a");
        }
    }
}
