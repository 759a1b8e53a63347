const SIGNALED = 130;

/**
 * A signal during the work ends the process at once: a download is not waited for. What was started already is stopped by
 * the watchdog. After the work, signals are the process's own affair again.
 */
export async function leaveAtOnceWhile<T>(work: Promise<T>): Promise<T> {
  const leave = (): void => {
    process.exit(SIGNALED);
  };
  process.on('SIGINT', leave).on('SIGTERM', leave);
  try {
    return await work;
  } finally {
    process.off('SIGINT', leave).off('SIGTERM', leave);
  }
}

/** Whoever started this process may be killed outright; the channel to it closes then. */
export function stopWithParent(): void {
  process.once('disconnect', () => {
    process.kill(process.pid, 'SIGTERM');
  });
}
