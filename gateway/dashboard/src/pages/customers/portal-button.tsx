import { useState } from 'react';
import { useRefusal } from '../../api/environment';
import { useAction } from '../../api/queries';
import { Button, CopyText } from '../../parts/buttons';
import { DialogButton } from '../../parts/dialog';
import { Form } from '../../parts/form';
import { Instant } from '../../parts/values';

interface PortalSession {
  readonly url: string;
  readonly expiresAt: string;
}

/** Makes a link by which a customer enters the portal. */
export function PortalButton({ customerId }: { customerId: string }) {
  const refusal = useRefusal('portal');
  return (
    <DialogButton
      label="Portal link"
      title="Let them into the portal"
      tone="quiet"
      refusal={refusal}
    >
      {(close) => <PortalLink customerId={customerId} onDone={close} />}
    </DialogButton>
  );
}

function PortalLink({ customerId, onDone }: { customerId: string; onDone: () => void }) {
  const [made, setMade] = useState<PortalSession>();
  const create = useAction<object, PortalSession>((body) => ({
    method: 'POST',
    path: '/v1/portal/sessions',
    body,
  }));
  if (made === undefined) {
    return (
      <Form
        submit="Make a link"
        onCancel={onDone}
        onSubmit={async () => {
          setMade(await create.mutateAsync({ customerId }));
        }}
      >
        <p>
          Whoever has the link sees what this customer has and pays, and can cancel. It opens once.
        </p>
      </Form>
    );
  }
  return (
    <>
      <CopyText text={made.url} what="portal link" />
      <p className="faint">
        It opens once, until <Instant at={made.expiresAt} /> in real time.
      </p>
      <div className="actions">
        <a className="button main" href={made.url} target="_blank" rel="noreferrer">
          Open the portal
        </a>
        <Button onClick={onDone}>Close</Button>
      </div>
    </>
  );
}
