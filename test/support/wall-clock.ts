const RealDate = Date;

/**
 * Advances the wall clock of this process: its services, their libraries and the test all see the
 * new time, and deadlines between them keep their length. Returns a function that restores it.
 */
export function putWallClockForward(aheadMs: number): () => void {
  class LaterDate extends RealDate {
    constructor(...given: [] | [number | string | Date]) {
      super(...((given.length === 0 ? [LaterDate.now()] : given) as [number]));
    }

    static override now(): number {
      return RealDate.now() + aheadMs;
    }

    // Dates created before are still instances.
    static override [Symbol.hasInstance](value: unknown): boolean {
      return value instanceof RealDate;
    }
  }
  globalThis.Date = LaterDate as DateConstructor;
  return () => {
    globalThis.Date = RealDate;
  };
}
