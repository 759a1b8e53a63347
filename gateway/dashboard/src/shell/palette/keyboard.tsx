import { lazy, Suspense, useEffect, useEffectEvent, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { sections } from '../section/pages';
import { type Command, resultOf } from './keys';
import { focusFilter, focusPlace, moveInList } from './list-focus';
import { hasSingleKeys } from './single-keys';

// Loaded when it is first opened.
const Palette = lazy(async () => ({ default: (await import('./palette')).Palette }));
const Shortcuts = lazy(async () => ({ default: (await import('./shortcuts')).Shortcuts }));

type Opened = 'PALETTE' | 'SHORTCUTS' | undefined;

/** Shortcuts of every page, with the dialogs that they open. */
export function useKeyboard() {
  const [opened, setOpened] = useState<Opened>();
  const [location, navigate] = useLocation();
  const run = (command: Command): boolean => {
    switch (command.kind) {
      case 'PALETTE':
      case 'SHORTCUTS':
        setOpened(command.kind);
        return true;
      case 'FILTER':
        if (!focusFilter()) setOpened('PALETTE');
        return true;
      case 'GO':
        navigate(command.path);
        return true;
      case 'MOVE':
        return moveInList(command.by, { isList: isListPage(location) });
    }
  };
  useKeys(run);
  const close = () => setOpened(undefined);
  const dialogs = (
    <Suspense fallback={null}>
      {opened === 'PALETTE' && (
        <Palette onClose={close} onShortcuts={() => setOpened('SHORTCUTS')} />
      )}
      {opened === 'SHORTCUTS' && <Shortcuts onClose={close} />}
    </Suspense>
  );
  return { dialogs, openPalette: () => setOpened('PALETTE') };
}

/** True for pages of the navigation, except the first one. */
function isListPage(location: string): boolean {
  return sections.some(({ entries }) =>
    entries.some(({ path }) => path !== '/' && path === location),
  );
}

/** Runs the commands of keys; a command that did something replaces what the browser would do. */
function useKeys(run: (command: Command) => boolean): void {
  const goSinceMs = useRef<number>(undefined);
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing || event.key === 'Shift') return;
    const press = {
      key: event.key,
      isControl: event.ctrlKey || event.metaKey,
      isAlt: event.altKey,
      focus: focusPlace(),
      atMs: event.timeStamp,
      hasSingleKeys: hasSingleKeys(),
    };
    const result = resultOf(press, goSinceMs.current);
    goSinceMs.current = result.goSinceMs;
    if (result.command !== undefined && run(result.command)) event.preventDefault();
  });
  useEffect(() => {
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}
