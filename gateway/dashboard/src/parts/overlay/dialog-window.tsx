import { Dialog as Base } from '@base-ui/react/dialog';
import { type ReactNode, type RefObject, useRef } from 'react';
import { EscapeContext } from './escape';

/**
 * Modal dialog, closed by its buttons and by Escape. A click outside does not close it, because it
 * would discard what was typed.
 */
export function DialogWindow({
  title,
  opener,
  onClose,
  children,
}: {
  title: string;
  /** Button that has the focus afterwards, also if a link opened the dialog. */
  opener: RefObject<HTMLButtonElement | null>;
  onClose: () => void;
  children: ReactNode;
}) {
  const escape = useRef<() => void>(undefined);
  return (
    <Base.Root
      open
      disablePointerDismissal
      onOpenChange={(isOpen) => {
        if (!isOpen) (escape.current ?? onClose)();
      }}
    >
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup className="dialog" finalFocus={opener}>
          <Base.Title>{title}</Base.Title>
          <EscapeContext value={escape}>{children}</EscapeContext>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
