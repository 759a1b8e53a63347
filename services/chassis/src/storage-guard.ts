import { statfs } from 'node:fs/promises';
import { DomainError } from '@billing/kernel/domain-error';

/** Whose free space is watched, and how much of it is kept back. */
export interface StorageGuardOptions {
  readonly folder: string;
  readonly reserveBytes: number;
  /** Free bytes of a folder's file system; replaced by tests. */
  readonly freeBytes?: (folder: string) => Promise<number>;
}

// Space that is freed and taken again at once must not switch writes on and off.
const reopenFactor = 1.25;

/** Writes are refused from before the disk is full, while the database can still finish what it has begun. */
export class StorageGuard {
  private full = false;

  constructor(private readonly options: StorageGuardOptions) {}

  get isFull(): boolean {
    return this.full;
  }

  /** Looks at the free space. */
  async look(): Promise<void> {
    const { folder, reserveBytes, freeBytes = freeBytesOf } = this.options;
    const free = await freeBytes(folder);
    this.full = free < (this.full ? reserveBytes * reopenFactor : reserveBytes);
  }
}

/** The answer to a write that finds no space. */
export function storageFull(cause?: unknown): DomainError {
  return new DomainError('unavailable', 'STORAGE_FULL', 'Service unavailable', { cause });
}

async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
