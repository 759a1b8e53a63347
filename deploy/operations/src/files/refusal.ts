import { exitStatuses, StartRefusal, unreachable } from '@billing/chassis/start-refusal';
import { MongoError } from 'mongodb';

/** Failures of the file system that a later run meets again, unless something is changed first. */
const lasting: Readonly<Record<string, string>> = {
  EACCES: 'Permission denied',
  EPERM: 'Operation not permitted',
  EROFS: 'Read-only file system',
  ENOENT: 'No such file or folder',
  ENOTDIR: 'Not a folder',
};

/**
 * Converts failures of the machine to refusals: a closed or missing file, which is a matter of
 * configuration, and a full disk or a lost server, which a later run may not meet. Returns other
 * errors as they are.
 */
export function refusalFor(error: unknown): unknown {
  if (error instanceof MongoError) return unreachable('MongoDB', error);
  if (!isOfSystem(error)) return error;
  const { code = '', path, message } = error;
  const reason = lasting[code];
  if (reason === undefined) return new StartRefusal(exitStatuses.busy, message, { cause: error });
  const text = path === undefined ? message : `${reason}: ${path}`;
  return new StartRefusal(exitStatuses.configuration, text, { cause: error });
}

function isOfSystem(error: unknown): error is NodeJS.ErrnoException {
  return typeof error === 'object' && error !== null && 'syscall' in error && 'code' in error;
}
