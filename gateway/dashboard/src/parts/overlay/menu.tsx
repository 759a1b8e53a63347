import { Menu as Base } from '@base-ui/react/menu';
import { Check } from 'lucide-react';
import { type ReactElement, type ReactNode, useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';

/** A button that opens a menu; `children` are entries of the menu. */
export function Menu({
  trigger,
  isOpenAtFirst = false,
  isOpenedByKey = false,
  children,
}: {
  trigger: ReactElement;
  isOpenAtFirst?: boolean;
  /** True if a key opened the menu at first: its first entry then has the focus. */
  isOpenedByKey?: boolean;
  children: ReactNode;
}) {
  const [isFirstOpening, setFirstOpening] = useState(isOpenAtFirst);
  return (
    <Base.Root
      modal={false}
      defaultOpen={isOpenAtFirst}
      onOpenChange={() => setFirstOpening(false)}
    >
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner
          className="popup-place"
          sideOffset={6}
          align="end"
          // A landmark, because the menu is outside of those of the page.
          role="region"
          aria-label="Menu"
        >
          <Base.Popup className="popup menu">
            {isFirstOpening && isOpenedByKey && <FirstEntryFocus />}
            {children}
            <ExposedFocusGuards />
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

/**
 * Moves the focus from a menu that was open at first to its first entry, as after a key that opened
 * it later. The menu takes the focus first, in the frame after it is drawn.
 */
function FirstEntryFocus() {
  const ref = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const menu = ref.current?.closest<HTMLElement>('[role=menu]');
    const focusFirst = () => menu?.querySelector<HTMLElement>('[role=menuitem]')?.focus();
    const onFocus = ({ target }: FocusEvent) => {
      if (target === menu) focusFirst();
    };
    menu?.addEventListener('focusin', onFocus, { once: true });
    if (document.activeElement === menu) focusFirst();
    return () => menu?.removeEventListener('focusin', onFocus);
  }, []);
  return <span ref={ref} hidden />;
}

/**
 * Removes `aria-hidden` from the focus guards around the menu and its button. Guards are empty
 * elements that pass the focus on; an element that can have the focus must not be hidden.
 */
function ExposedFocusGuards() {
  useEffect(() => {
    const expose = () => {
      const guards = document.querySelectorAll('[data-base-ui-focus-guard][aria-hidden]');
      for (const guard of guards) guard.removeAttribute('aria-hidden');
    };
    expose();
    // Some are added after the menu.
    const observer = new MutationObserver(expose);
    observer.observe(document.body, { subtree: true, childList: true });
    return () => observer.disconnect();
  }, []);
  return null;
}

/** Entry that runs an action. */
export function MenuItem({ onSelect, children }: { onSelect: () => void; children: ReactNode }) {
  return (
    <Base.Item className="menu-item" onClick={onSelect}>
      {children}
    </Base.Item>
  );
}

/** Entry that opens a page of the dashboard. */
export function MenuLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Base.LinkItem className="menu-item" closeOnClick render={<Link href={href} />}>
      {children}
    </Base.LinkItem>
  );
}

/** Entry that leaves the dashboard for another page of the gateway. */
export function MenuPageLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Base.LinkItem className="menu-item" closeOnClick href={href}>
      {children}
    </Base.LinkItem>
  );
}

/** Entries to choose one from. */
export function MenuChoice<Value extends string>({
  label,
  value,
  onChange,
  choices,
}: {
  label: string;
  value: Value;
  onChange: (value: Value) => void;
  /** Values, labels and icons. */
  choices: readonly (readonly [Value, string, ReactNode])[];
}) {
  return (
    <Base.RadioGroup value={value} onValueChange={(chosen) => onChange(chosen as Value)}>
      <Base.GroupLabel className="menu-label">{label}</Base.GroupLabel>
      {choices.map(([one, text, icon]) => (
        <Base.RadioItem key={one} value={one} className="menu-item">
          {icon}
          {text}
          <Base.RadioItemIndicator className="menu-mark">
            <Check aria-hidden="true" />
          </Base.RadioItemIndicator>
        </Base.RadioItem>
      ))}
    </Base.RadioGroup>
  );
}

/** Line between groups of entries. */
export function MenuLine() {
  return <Base.Separator className="menu-line" />;
}
