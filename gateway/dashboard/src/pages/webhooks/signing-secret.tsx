import { Button, CopyText } from '../../parts/element/buttons';
import { Panel } from '../../parts/element/layout';

/** Shows a signing secret once. */
export function SigningSecret({
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
      <p>Signs webhooks to {url}. Copy it now. You won’t see it again.</p>
      <CopyText text={secret} what="signing secret" />
      <div className="actions">
        <Button onClick={onDone}>Done</Button>
      </div>
    </Panel>
  );
}
