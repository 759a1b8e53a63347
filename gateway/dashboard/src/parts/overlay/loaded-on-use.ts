import { type KeyboardEvent, type MouseEvent, useState } from 'react';

/** State of a button until its menu or list is loaded. */
export interface OpenerState {
  /** True from the press until the part is drawn. */
  readonly isLoading: boolean;
  readonly 'aria-expanded': false;
  readonly onPointerEnter: () => void;
  readonly onFocus: () => void;
  readonly onBlur: () => void;
  readonly onClick: (event: MouseEvent) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

/**
 * Loads the part that a button opens when the button is first hovered, focused or pressed. After
 * the first press, `Part` replaces the button as soon as it is loaded and must be open at first.
 * The press is forgotten if the focus leaves the button before that. `isByKey` is true if the last
 * press was one of a key. `failure` is the text to show if the part could not be loaded after a
 * press. `onOpen` is called at each press.
 */
export function useLoadedOnUse<Part>(load: () => Promise<Part>, onOpen?: () => void) {
  const [loaded, setLoaded] = useState<{ Part: Part }>();
  const [isPressed, setPressed] = useState(false);
  const [isByKey, setByKey] = useState(false);
  const [failure, setFailure] = useState<string>();
  const begin = (onFailure: () => void = () => undefined) => {
    load().then((Part) => setLoaded({ Part }), onFailure);
  };
  const press = (how: { isByKey: boolean }) => {
    onOpen?.();
    setByKey(how.isByKey);
    setPressed(true);
    setFailure(undefined);
    begin(() => {
      setPressed(false);
      setFailure('Could not be loaded. Check the connection, or reload the page.');
    });
  };
  const opener: OpenerState = {
    isLoading: isPressed,
    'aria-expanded': false,
    onPointerEnter: () => begin(),
    onFocus: () => begin(),
    onBlur: () => setPressed(false),
    // The browser counts the clicks of a pointer only.
    onClick: ({ detail }) => press({ isByKey: detail === 0 }),
    onKeyDown: (event) => {
      if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
      event.preventDefault();
      press({ isByKey: true });
    },
  };
  return { Part: isPressed ? loaded?.Part : undefined, opener, failure, isByKey };
}
