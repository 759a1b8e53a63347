const reloadedFor = 'reloaded-for';

/**
 * Reloads an outdated dashboard: after an update of the gateway the files of pages have other
 * names. Reloads once per file; if that does not help, the page shows the error.
 */
export function reloadOnceFor({ message }: Error): void {
  if (sessionStorage.getItem(reloadedFor) === message) return;
  sessionStorage.setItem(reloadedFor, message);
  window.location.reload();
}

/** True for the messages of Chromium, Firefox and Safari about a missing script or style. */
export function isMissingFile({ message }: Error): boolean {
  return /dynamically imported module|importing a module script failed|unable to preload css/i.test(
    message,
  );
}
