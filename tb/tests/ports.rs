// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The tests of every port, on the simulated chips: the bare core, the core behind its buses, and the core behind
//! the socket of a server. Those of the model and of its server are in `sim-rs`.

#![cfg(feature = "bls12-381")]

mod common;

use acclmt_driver::chip::{ChipPort, PortError, suite};
use acclmt_serve::{Options, Server, SocketPort};
use acclmt_tb::RtlChip;
use common::axi::{AxiChip, Pauses};
use common::{Random, seed};

#[test]
#[ignore = "long: two minutes, and the core behind its buses has it"]
fn the_bare_core() {
    let seed = seed(31);
    suite::run(RtlChip::new(seed as u32).unwrap(), seed);
}

#[test]
fn the_core_behind_its_buses() {
    let seed = seed(32);
    let pauses = Pauses::random(&mut Random::new(seed));
    println!("{pauses:?}");
    suite::run(AxiChip::new(seed, pauses), seed);
}

#[test]
#[ignore = "long: two minutes, and the server has it with the model"]
fn the_core_behind_a_socket() {
    let seed = seed(33);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chip");
    let server = Server::bind(&path, Options::default()).unwrap();
    let stopper = server.stopper();
    let thread = std::thread::spawn(move || {
        let open = || {
            let chip = RtlChip::new(seed as u32);
            let chip = chip.map_err(|error| PortError::new(error.to_string()))?;
            Ok(Box::new(chip) as Box<dyn ChipPort>)
        };
        server.run(&open, &|event| println!("{event:?}")).unwrap();
    });
    suite::run(SocketPort::connect(&path, &mut |_| ()).unwrap(), seed);
    // A session that ended in mid-run leaves nothing: LEAVES and STATUS are as after a reset.
    let mut port = SocketPort::connect(&path, &mut |_| ()).unwrap();
    assert_eq!(port.read_register(0x058).unwrap(), 0);
    assert_eq!(port.read_register(0x044).unwrap(), 0);
    drop(port);
    stopper.stop();
    thread.join().unwrap();
    assert!(!path.exists());
}
