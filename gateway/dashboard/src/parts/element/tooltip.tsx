import { Tooltip as Base } from '@base-ui/react/tooltip';
import type { ReactElement } from 'react';

/**
 * Shows the name of an icon on hover and focus. The element has the same name or a longer one, so
 * that a screen reader needs no tooltip.
 */
export function Tooltip({ text, children }: { text: string; children: ReactElement }) {
  return (
    <Base.Root>
      <Base.Trigger render={children} closeOnClick={false} />
      <Base.Portal>
        <Base.Positioner className="popup-place" sideOffset={6} aria-hidden>
          <Base.Popup className="tooltip">{text}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
