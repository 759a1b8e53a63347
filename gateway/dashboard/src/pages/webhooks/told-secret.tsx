import { Button, CopyText } from '../../parts/buttons';
import { Panel } from '../../parts/layout';

/** A signing secret, once. */
export function ToldSecret({
  url,
  secret,
  onDone,
}: {
  url: string;
  secret: string;
  onDone: () => void;
}) {
  return (
    <Panel title="Signing secret">
      <p>Webhooks to {url} are signed with it. Copy it now: it is not shown again.</p>
      <CopyText text={secret} what="signing secret" />
      <div className="actions">
        <Button onClick={onDone}>I have it</Button>
      </div>
    </Panel>
  );
}
