/**
 * Makes this process a program of the benchmarks: it answers each job with the result of `run`, or
 * with its failure, until the parent process ends. `opened` resolves when jobs may come.
 */
export function serveJobs(
  run: (job: never) => Promise<object>,
  opened: Promise<unknown> = Promise.resolve(),
): void {
  process.on('message', (job) => {
    run(job as never).then(
      (result) => process.send?.(result),
      (error: unknown) => process.send?.({ failure: String(error) }),
    );
  });
  process.on('disconnect', () => process.exit());
  void opened.then(() => process.send?.('ready'));
}
