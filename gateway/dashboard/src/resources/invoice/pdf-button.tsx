import { useState } from 'react';
import { readFile } from '../../api/file';
import { useEnvironment } from '../../api/environment';
import { Button } from '../../parts/element/buttons';
import { ErrorNotice } from '../../parts/element/notices';
import { keepFile } from '../../parts/table/data-table';

/** Button that downloads a PDF of the API; `name` is the file name without its end. */
export function PdfButton({
  path,
  name,
  label = 'PDF',
}: {
  path: string;
  name: string;
  label?: string;
}) {
  const { id: environmentId } = useEnvironment();
  const [state, setState] = useState<'busy' | Error>();
  const load = async () => {
    setState('busy');
    try {
      keepFile(`${name}.pdf`, await readFile(path, environmentId));
      setState(undefined);
    } catch (error) {
      setState(error instanceof Error ? error : new Error('Something went wrong'));
    }
  };
  return (
    <>
      <Button isBusy={state === 'busy'} onClick={() => void load()}>
        {label}
      </Button>
      {state instanceof Error && <ErrorNotice error={state} />}
    </>
  );
}
