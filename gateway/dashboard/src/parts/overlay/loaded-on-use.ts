import { type KeyboardEvent, useState } from 'react';

/** State of a button until its menu or list is loaded. */
export interface OpenerState {
  /** True from the press until the part is drawn. */
  readonly isLoading: boolean;
  readonly 'aria-expanded': false;
  readonly onPointerEnter: () => void;
  readonly onFocus: () => void;
  readonly onBlur: () => void;
  readonly onClick: () => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

/**
 * Loads the part that a button opens when the button is first hovered, focused or pressed. After
 * the first press, `Part` replaces the button as soon as it is loaded and must be open at first.
 * The press is forgotten if the focus leaves the button before that. `failure` is the text to show
 * if the part could not be loaded after a press. `onOpen` is called at each press.
 */
export function useLoadedOnUse<Part>(load: () => Promise<Part>, onOpen?: () => void) {
  const [loaded, setLoaded] = useState<{ Part: Part }>();
  const [isPressed, setPressed] = useState(false);
  const [failure, setFailure] = useState<string>();
  const begin = (onFailure: () => void = () => undefined) => {
    load().then((Part) => setLoaded({ Part }), onFailure);
  };
  const press = () => {
    onOpen?.();
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
    onClick: press,
    onKeyDown: (event) => {
      if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
      event.preventDefault();
      press();
    },
  };
  return { Part: isPressed ? loaded?.Part : undefined, opener, failure };
}
