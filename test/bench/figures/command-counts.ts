import { type CommandStartedEvent, MongoClient } from 'mongodb';

/** Counts database commands by command and collection. */
export class CommandCounts {
  readonly times = new Map<string, number>();
  /** Documents written, by command and collection. */
  readonly written = new Map<string, number>();
  private isCounting = false;

  /** Counts the commands of the clients that `connect` opens in this process. */
  async of<T>(connect: () => Promise<T>): Promise<T> {
    const record = (event: CommandStartedEvent) => {
      if (this.isCounting) this.recordCommand(event);
    };
    const { prototype } = MongoClient;
    const connectClient: MongoClient['connect'] = Reflect.get(prototype, 'connect');
    prototype.connect = function (this: MongoClient) {
      // A setter missing in the driver's types.
      Object.assign(this, { monitorCommands: true });
      this.on('commandStarted', record);
      return connectClient.call(this);
    };
    try {
      return await connect();
    } finally {
      prototype.connect = connectClient;
    }
  }

  start(): void {
    this.isCounting = true;
  }

  stop(): void {
    this.isCounting = false;
  }

  private recordCommand({ commandName, command }: CommandStartedEvent): void {
    const collection: unknown = command[commandName];
    if (typeof collection !== 'string') return;
    const name = `mongodb ${commandName} ${collection}`;
    add(this.times, name, 1);
    const items = (command.documents ?? command.updates) as readonly unknown[] | undefined;
    if (items !== undefined) add(this.written, name, items.length);
  }
}

export function add(counts: Map<string, number>, name: string, count: number): void {
  counts.set(name, (counts.get(name) ?? 0) + count);
}
