// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The end of a program that has a device open. It is a process of its own, which opens no device afterwards.

#![cfg(target_os = "linux")]

use std::fs;

use acclmt_linux::Board as _;
use acclmt_linux::uio::{self, UioBoard};

const DMA_CONTROL: u32 = 0x908;

#[test]
fn the_end_of_a_program_ends_the_dma_of_its_devices() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("uio7");
    let device = folder.path().join("system/uio7/device");
    fs::create_dir_all(&device).unwrap();
    fs::write(&path, []).unwrap();
    fs::write(device.join("resource0"), [0; 0x1000]).unwrap();
    fs::write(device.join("config"), [0; 64]).unwrap();
    let mut board = UioBoard::open_in(&path, &folder.path().join("system")).unwrap();
    board.allow_dma(true).unwrap();
    board.write(DMA_CONTROL, 1);
    let command = || fs::read(device.join("config")).unwrap()[4];
    assert_eq!(command(), 6);

    uio::end_all();
    assert_eq!(board.read(DMA_CONTROL), 0);
    assert_eq!(command(), 2);
    // The run that is under way in another thread starts nothing any more.
    board.write(DMA_CONTROL, 1);
    assert_eq!(board.read(DMA_CONTROL), 0);
    board.allow_dma(true).unwrap();
    assert_eq!(command(), 2);
}
