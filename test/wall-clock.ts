const RealDate = Date;

/**
 * Puts the wall clock of this process forward: its services, their libraries and the test all see the new time, and deadlines between them
 * stay what they are. Returns what puts it back.
 */
export function putWallClockForward(aheadMs: number): () => void {
  class LaterDate extends RealDate {
    constructor(...given: [] | [number | string | Date]) {
      super(...((given.length === 0 ? [LaterDate.now()] : given) as [number]));
    }

    static override now(): number {
      return RealDate.now() + aheadMs;
    }

    // What was made before is still a date.
    static override [Symbol.hasInstance](value: unknown): boolean {
      return value instanceof RealDate;
    }
  }
  globalThis.Date = LaterDate as DateConstructor;
  return () => {
    globalThis.Date = RealDate;
  };
}
