import { observeCommands, type SentCommand } from '../../support/sent-commands';

/** Counts database commands by command and collection. */
export class CommandCounts {
  readonly times = new Map<string, number>();
  /** Documents written, by command and collection. */
  readonly written = new Map<string, number>();
  private isCounting = false;

  /** Counts the commands of the clients that `connect` opens in this process. */
  of<T>(connect: () => Promise<T>): Promise<T> {
    return observeCommands((sent) => {
      if (this.isCounting) this.record(sent);
    }, connect);
  }

  start(): void {
    this.isCounting = true;
  }

  stop(): void {
    this.isCounting = false;
  }

  private record(sent: SentCommand): void {
    const name = `mongodb ${sent.name}`;
    add(this.times, name, 1);
    if (sent.written !== undefined) add(this.written, name, sent.written);
  }
}

export function add(counts: Map<string, number>, name: string, count: number): void {
  counts.set(name, (counts.get(name) ?? 0) + count);
}
