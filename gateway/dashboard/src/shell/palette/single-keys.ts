import { useState } from 'react';

const key = 'single-key-shortcuts';

/** True unless the operator turned off shortcuts of single keys in this browser. */
export function hasSingleKeys(): boolean {
  try {
    return localStorage.getItem(key) !== 'off';
  } catch {
    return true;
  }
}

/** The setting and its setter. */
export function useSingleKeys(): readonly [boolean, (isOn: boolean) => void] {
  const [isOn, setOn] = useState(hasSingleKeys);
  const choose = (next: boolean) => {
    try {
      localStorage.setItem(key, next ? 'on' : 'off');
    } catch {
      // Without storage they stay on.
    }
    setOn(hasSingleKeys());
  };
  return [isOn, choose];
}
