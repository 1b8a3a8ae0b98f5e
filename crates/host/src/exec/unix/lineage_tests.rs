//! Descendants in sequences of looks, as the kernel of macOS would show them.

use super::*;

const NONE: Member = Member { pid: 0, number: 0, lives: false };

/// A process: id, group, number, number of the process that forked it.
fn seen(pid: c_int, group: c_int, number: u64, parent: u64) -> Seen {
    Seen { pid, group, number, parent }
}

/// The program, number 100, and processes of somebody else.
fn others() -> Vec<Seen> {
    vec![seen(1, 1, 1, 0), seen(50, 50, 10, 1), seen(51, 50, 11, 10), seen(200, 200, 100, 99)]
}

fn living_after(looks: &[Vec<Seen>]) -> Vec<c_int> {
    let mut space = [NONE; 16];
    let mut lineage = Lineage::new(&mut space);
    assert!(lineage.add(seen(200, 200, 100, 99)));
    for look in looks {
        lineage.look(look, |_| {});
    }
    lineage.living().collect()
}

#[test]
fn c3_2_children_grandchildren_and_members_of_groups_are_found_in_any_order() {
    let mut all = others();
    // The grandchild is listed first, in a group of its own.
    all.splice(0..0, [seen(203, 203, 103, 102), seen(202, 202, 102, 100)]);
    all.push(seen(204, 202, 104, 77));
    let mut found = living_after(&[all]);
    found.sort_unstable();
    assert_eq!(found, [200, 202, 203, 204]);
}

#[test]
fn c3_2_an_orphan_in_a_group_of_its_own_is_found_if_its_parent_was_seen_once() {
    let mut first = others();
    first.push(seen(201, 201, 101, 100));
    let mut second = others();
    // Its parent, 101, has ended, and it set its session.
    second.push(seen(202, 202, 102, 101));
    assert_eq!(living_after(&[first.clone(), second.clone()]), [200, 202]);
    let mut third = others();
    // Orphan of an orphan, much later.
    third.push(seen(203, 203, 103, 102));
    assert_eq!(living_after(&[first, second, others(), third]), [200, 203]);
}

#[test]
fn c3_2_descendants_of_an_ended_program_are_found() {
    let mut without = others();
    without.pop();
    without.push(seen(300, 300, 130, 100));
    assert_eq!(living_after(&[without]), [300]);
}

#[test]
fn c3_2_processes_of_others_stay_also_with_the_id_of_an_ended_member() {
    let mut first = others();
    first.push(seen(201, 201, 101, 100));
    let mut second = others();
    // Somebody else's process got the id, and leads a group.
    second.extend([seen(201, 201, 140, 10), seen(205, 201, 141, 140)]);
    assert_eq!(living_after(&[first, second]), [200]);
}

#[test]
fn a_full_list_forgets_ended_members_first() {
    let mut space = [NONE; 3];
    let mut lineage = Lineage::new(&mut space);
    assert!(lineage.add(seen(200, 200, 100, 99)));
    let program = seen(200, 200, 100, 99);
    assert!(lineage.look(&[program, seen(201, 201, 101, 100), seen(202, 202, 102, 100)], |_| {}));
    assert!(lineage.look(&[program, seen(202, 202, 102, 100), seen(203, 203, 103, 102)], |_| {}));
    assert_eq!(lineage.living().collect::<Vec<_>>(), [200, 202, 203]);
    // More than fit: those that are known are kept.
    let crowd: Vec<Seen> = (4..20).map(|at| seen(200 + at, 200, 100 + at as u64, 100)).collect();
    let all = [vec![program, seen(202, 202, 102, 100), seen(203, 203, 103, 102)], crowd].concat();
    assert!(lineage.look(&all, |_| {}));
    assert_eq!(lineage.living().count(), 3);
    assert!(!lineage.look(&[], |_| {}), "nothing lives");
}
