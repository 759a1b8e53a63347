const reloadedFor = 'reloaded-for';

/**
 * After an update of the gateway the files of pages have other names: whoever still has the earlier dashboard open gets the present one, once
 * for each file. Where that does not help, the page says so.
 */
export function reloadWhereFilesAreMissing(): void {
  window.addEventListener('vite:preloadError', (event) => {
    const { message } = event.payload;
    if (sessionStorage.getItem(reloadedFor) === message) return;
    sessionStorage.setItem(reloadedFor, message);
    event.preventDefault();
    window.location.reload();
  });
}

/** Whether the file of a page could not be loaded: by the words of Chromium, Firefox and Safari. */
export function isMissingFile({ message }: Error): boolean {
  return /dynamically imported module|importing a module script failed/i.test(message);
}
