/** Interval at which a server that cannot be reached is asked, by one mail. */
const askEveryMsDefault = 30_000;

/**
 * Knows if the mail server can be reached. While it cannot, one mail asks it at intervals, and the
 * others wait and use up no attempt.
 */
export class ServerReach {
  private askAt: Date | undefined;

  constructor(private readonly askEveryMs = askEveryMsDefault) {}

  /** True if a mail may try now. */
  mayTry(now: Date): boolean {
    if (this.askAt === undefined) return true;
    if (now < this.askAt) return false;
    this.askAt = this.after(now);
    return true;
  }

  /** Milliseconds until the server is asked again. */
  waitMs(now: Date): number {
    return Math.max(0, (this.askAt?.getTime() ?? 0) - now.getTime());
  }

  recordAnswer(): void {
    this.askAt = undefined;
  }

  recordSilence(now: Date): void {
    this.askAt = this.after(now);
  }

  private after(now: Date): Date {
    return new Date(now.getTime() + this.askEveryMs);
  }
}
