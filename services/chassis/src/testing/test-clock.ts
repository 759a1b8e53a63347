import type { Clock } from '../clock';

const minuteMs = 60_000;

/** A real-time clock that moves by `wait` alone. */
export class TestClock implements Clock {
  constructor(public at = new Date('2026-01-31T00:00:00Z')) {}

  now(): Date {
    return this.at;
  }

  wait(minutes: number): void {
    this.at = new Date(this.at.getTime() + minutes * minuteMs);
  }
}
