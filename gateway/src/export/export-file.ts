import { createHash, type Hash } from 'node:crypto';
import type { ExportedResource } from './exported-resource';
import type { ExportContext, ExportRange } from './resource-pages';
import { type RowFormat, rowWriters } from './row-format';

/** One exported file, as it is written. */
export class ExportFile {
  rows = 0;
  bytes = 0;
  private readonly hash: Hash = createHash('sha256');

  constructor(
    readonly resource: ExportedResource,
    private readonly format: RowFormat,
  ) {}

  get name(): string {
    return `${this.resource.name}.${rowWriters[this.format].extension}`;
  }

  /** Writes the file in chunks; counts and hashes what it has written. */
  async *chunks(range: ExportRange, exported: ExportContext): AsyncGenerator<Uint8Array> {
    const { fields } = this.resource;
    const { head, line } = rowWriters[this.format];
    const first = head(fields);
    if (first !== '') yield this.written(first);
    for await (const rows of this.resource.pages(range, exported)) {
      this.rows += rows.length;
      yield this.written(rows.map((row) => line(row, fields)).join(''));
    }
  }

  /** SHA-256 of all bytes. Called once, after the last chunk. */
  digest(encoding: 'hex' | 'base64'): string {
    return this.hash.digest(encoding);
  }

  private written(text: string): Uint8Array {
    const chunk = Buffer.from(text);
    this.bytes += chunk.length;
    this.hash.update(chunk);
    return chunk;
  }
}
