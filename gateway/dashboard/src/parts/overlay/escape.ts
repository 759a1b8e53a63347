import { createContext, type RefObject, useContext, useLayoutEffect } from 'react';

/** Action of Escape instead of closing the dialog. */
export const EscapeContext = createContext<RefObject<(() => void) | undefined>>({
  current: undefined,
});

/** Lets Escape do something else in the dialog around; undefined: it closes the dialog. */
export function useEscape(run: (() => void) | undefined): void {
  const escape = useContext(EscapeContext);
  useLayoutEffect(() => {
    escape.current = run;
    return () => {
      escape.current = undefined;
    };
  }, [escape, run]);
}
