//! Counting, limits, and figures that are not known.

use std::{
    io::Read as _,
    sync::{Arc, Mutex},
    time::Duration,
};

use super::{CallMetrics, Figure, Meter, MeterLimits};

#[test]
fn a_figure_that_nobody_declared_is_absent_and_not_zero() {
    let meter = Meter::new();
    meter.add_read(10);
    meter.knows(&[Figure::Written]);
    let metrics = meter.read();
    assert_eq!((metrics.read_bytes, metrics.written_bytes), (None, Some(0)));
    let json = serde_json::to_value(metrics).unwrap();
    assert_eq!(
        json,
        serde_json::json!({ "wallUs": 0, "writtenBytes": 0, "outputBytes": 0, "resultTokens": 0 })
    );
}

#[test]
fn a_figure_of_which_a_part_was_lost_is_absent() {
    let meter = Meter::new();
    meter.knows(&Figure::ALL);
    meter.add_cpu(Duration::from_millis(3));
    assert_eq!(meter.read().cpu_us, Some(3000));
    meter.forget(Figure::Cpu);
    assert_eq!(meter.read().cpu_us, None);
    assert_eq!(meter.read().processes, Some(0));
}

#[test]
fn clones_count_into_the_same_meter_and_the_default_counts_nothing() {
    let meter = Meter::new();
    meter.knows(&Figure::ALL);
    let counted = meter.clone();
    let read = counted.reading(&b"twelve bytes"[..]).read_to_end(&mut Vec::new()).unwrap();
    counted.note_memory(5);
    counted.note_memory(3);
    assert_eq!(meter.read().read_bytes, Some(read as u64));
    assert_eq!(meter.read().peak_memory_bytes, Some(5));
    let none = Meter::default();
    none.knows(&Figure::ALL);
    none.add_request();
    assert_eq!(none.read(), CallMetrics::default());
}

#[test]
fn a_process_beyond_the_limit_may_not_start_and_is_not_counted() {
    let exceeded = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&exceeded);
    let limits = MeterLimits { processes: Some(1), memory: Some(100) };
    let meter = Meter::limited(limits, move |figure| heard.lock().unwrap().push(figure));
    meter.knows(&Figure::ALL);
    assert!(meter.add_process());
    assert!(!meter.add_process());
    meter.note_memory(100);
    meter.note_memory(101);
    assert_eq!(*exceeded.lock().unwrap(), [Figure::Processes, Figure::Memory]);
    assert_eq!(meter.read().processes, Some(1));
}

#[test]
fn metrics_of_other_versions_are_read_as_far_as_they_are_known() {
    let metrics: CallMetrics = serde_json::from_str(r#"{"wallUs":7,"somethingNew":[1]}"#).unwrap();
    assert_eq!(metrics, CallMetrics { wall_us: 7, ..CallMetrics::default() });
}
