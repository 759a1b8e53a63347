import { type CommandStartedEvent, MongoClient } from 'mongodb';

/** A database command as a service sends it. */
export interface SentCommand {
  readonly database: string;
  /** Command and collection: `find customers`. */
  readonly name: string;
  /** Number of documents that it inserts, updates or deletes; undefined for a read. */
  readonly written: number | undefined;
}

/**
 * Reports the commands of the clients that `connect` opens in this process, each in the context of
 * its sender.
 */
export async function observeCommands<T>(
  report: (command: SentCommand) => void,
  connect: () => Promise<T>,
): Promise<T> {
  const record = (event: CommandStartedEvent) => {
    const sent = sentCommand(event);
    if (sent !== undefined) report(sent);
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

function sentCommand({
  commandName,
  command,
  databaseName,
}: CommandStartedEvent): SentCommand | undefined {
  const collection: unknown = command[commandName];
  if (typeof collection !== 'string') return undefined;
  const items: unknown = command.documents ?? command.updates ?? command.deletes;
  const written = Array.isArray(items) ? items.length : undefined;
  return { database: databaseName, name: `${commandName} ${collection}`, written };
}
