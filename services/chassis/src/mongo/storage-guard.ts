import { statfs } from 'node:fs/promises';
import { DomainError } from '@billing/kernel/domain-error';

/** Folder whose free space is watched, and the reserve. */
export interface StorageGuardOptions {
  readonly folder: string;
  readonly reserveBytes: number;
  /** Free bytes of a folder's file system; replaced in tests. */
  readonly freeBytes?: (folder: string) => Promise<number>;
}

// Hysteresis, so that space that is freed and used again does not switch writes on and off.
const reopenFactor = 1.25;

/** Refuses writes before the disk is full, while the database can still complete started ones. */
export class StorageGuard {
  private full = false;

  constructor(private readonly options: StorageGuardOptions) {}

  get isFull(): boolean {
    return this.full;
  }

  /** Checks the free space. */
  async check(): Promise<void> {
    const { folder, reserveBytes, freeBytes = freeBytesOf } = this.options;
    const free = await freeBytes(folder);
    this.full = free < (this.full ? reserveBytes * reopenFactor : reserveBytes);
  }
}

/** Error of a write that finds no space. */
export function storageFull(cause?: unknown): DomainError {
  return new DomainError('unavailable', 'STORAGE_FULL', 'Service unavailable', { cause });
}

async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
