import { type RefObject, useEffect } from 'react';

// Dialogs and popups move the focus in one of the frames after they open or close.
const settledMs = 300;

/**
 * Moves the focus to the page when the focused element disappears, such as the button of an action
 * that is no longer possible. Otherwise keyboards and screen readers would lose their place.
 */
export function useKeptFocus(page: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    let last: Element | undefined;
    const remember = ({ target }: FocusEvent) => {
      last = target instanceof Element ? target : undefined;
    };
    const keep = () => {
      const { activeElement, body } = document;
      // Dialogs and their forms move the focus themselves.
      const isOpen = document.querySelector('.dialog') !== null;
      if (isOpen || last?.isConnected !== false || activeElement !== body) return;
      page.current?.focus({ preventScroll: true });
    };
    const observer = new MutationObserver(() => {
      if (last?.isConnected === false) setTimeout(keep, settledMs);
    });
    document.addEventListener('focusin', remember);
    observer.observe(document.body, { subtree: true, childList: true });
    return () => {
      document.removeEventListener('focusin', remember);
      observer.disconnect();
    };
  }, [page]);
}
