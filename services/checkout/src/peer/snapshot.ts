interface Message<T> {
  toJSON(message: T): unknown;
  fromJSON(json: unknown): T;
}

/**
 * Snapshots of other services' messages are stored in their JSON mapping, which stays readable when
 * the messages gain fields.
 */
export function snapshotsOf<T>(message: Message<T>) {
  return {
    write: (value: T): string => JSON.stringify(message.toJSON(value)),
    read: (text: string): T => message.fromJSON(JSON.parse(text)),
  };
}
