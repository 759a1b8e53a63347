import { connect, type Socket } from 'node:net';
import { monotonicMs } from '@billing/chassis/clock';

/** The bytes received over a connection before the server closed it. */
export interface RawAnswer {
  readonly text: string;
  /** Status codes of all responses, in order. */
  readonly statuses: readonly number[];
  /** Headers of the last response, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly afterMs: number;
}

/** A connection for arbitrary bytes. */
export class RawConnection {
  private text = '';
  private readonly openedMs = monotonicMs();
  private readonly closed: Promise<void>;

  private constructor(readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.setEncoding('latin1');
    socket.on('data', (data: string) => (this.text += data));
    // A server that aborts a connection resets it: that is its response.
    socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        resolve();
      });
    });
  }

  /** Opens a connection, from another address of this machine if one is given. */
  static async open(url: string, localAddress?: string): Promise<RawConnection> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), localAddress });
    const connection = new RawConnection(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    return connection;
  }

  get received(): string {
    return this.text;
  }

  send(bytes: string): void {
    if (this.socket.writable) this.socket.write(bytes, 'latin1');
  }

  /** Sends the same bytes repeatedly until the server has closed the connection. */
  drip(bytes: string, everyMs: number): void {
    const timer = setInterval(() => {
      this.send(bytes);
    }, everyMs);
    void this.closed.then(() => {
      clearInterval(timer);
    });
  }

  /** Returns everything received, once the server has closed the connection. */
  async answer(): Promise<RawAnswer> {
    await this.closed;
    const afterMs = monotonicMs() - this.openedMs;
    const starts = [...this.text.matchAll(/HTTP\/1\.1 (\d{3}) /g)];
    const last = this.text.slice(starts.at(-1)?.index ?? 0);
    const [head = '', ...bodies] = last.split('\r\n\r\n');
    const lines = head.split('\r\n').slice(1);
    return {
      text: this.text,
      statuses: starts.map(([, status]) => Number(status)),
      headers: Object.fromEntries(
        lines.map((line) => {
          const colon = line.indexOf(':');
          return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
        }),
      ),
      body: bodies.join('\r\n\r\n'),
      afterMs,
    };
  }
}

/** Sends bytes on a new connection. */
export async function sendRaw(url: string, bytes: string): Promise<RawAnswer> {
  const connection = await RawConnection.open(url);
  connection.send(bytes);
  return connection.answer();
}
