import { useState } from 'react';

/** State of a button until its menu or list is loaded. */
export interface OpenerState {
  /** True from the press until the part is drawn. */
  readonly isLoading: boolean;
  readonly 'aria-expanded': false;
  readonly onPointerEnter: () => void;
  readonly onFocus: () => void;
  readonly onBlur: () => void;
  readonly onClick: () => void;
}

/**
 * Loads the part that a button opens when the button is first hovered, focused or pressed. After
 * the first press, `Part` replaces the button as soon as it is loaded and must be open at first.
 * The press is forgotten if the focus leaves the button before that.
 */
export function useLoadedOnUse<Part>(load: () => Promise<Part>) {
  const [loaded, setLoaded] = useState<{ Part: Part }>();
  const [isPressed, setPressed] = useState(false);
  const begin = () => {
    load().then(
      (Part) => setLoaded({ Part }),
      () => setPressed(false),
    );
  };
  const opener: OpenerState = {
    isLoading: isPressed,
    'aria-expanded': false,
    onPointerEnter: begin,
    onFocus: begin,
    onBlur: () => setPressed(false),
    onClick: () => {
      setPressed(true);
      begin();
    },
  };
  return { Part: isPressed ? loaded?.Part : undefined, opener };
}
