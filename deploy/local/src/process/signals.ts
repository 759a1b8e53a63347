const SIGNALED = 130;

/**
 * Exits immediately on a signal during the work, without waiting for a download. The watchdog stops
 * started processes. After the work the process handles signals itself.
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

/** Stops if the parent process ends, which closes the channel to it, even after a kill. */
export function stopWithParent(): void {
  process.once('disconnect', () => {
    process.kill(process.pid, 'SIGTERM');
  });
}
