//! Numbers from a seed, the same on every machine and with every library.

use crate::world::tree::mix;

#[derive(Debug, Clone)]
pub struct Chance {
    seed: u64,
    drawn: u64,
}

impl Chance {
    pub fn new(seed: u64) -> Self {
        Chance { seed, drawn: 0 }
    }

    pub fn draw(&mut self) -> u64 {
        self.drawn += 1;
        mix(&[self.seed, self.drawn])
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.draw() % bound.max(1) as u64) as usize
    }

    pub fn one_in(&mut self, bound: usize) -> bool {
        self.below(bound) == 0
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}
