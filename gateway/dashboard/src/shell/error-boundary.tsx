import { Component, type ReactNode } from 'react';
import { Button } from '../parts/element/buttons';
import { ErrorNotice } from '../parts/element/notices';
import { isMissingFile, reloadOnceFor } from './missing-file';

const notLoaded = new Error('The connection failed, or the dashboard was updated');

interface State {
  readonly error: Error | undefined;
}

/** Keeps the rest of the dashboard usable when a page throws an error. */
export class ErrorBoundary extends Component<{ children: ReactNode }, State> {
  override state: State = { error: undefined };

  static getDerivedStateFromError(error: Error): State {
    return { error };
  }

  override componentDidCatch(error: Error): void {
    if (isMissingFile(error)) reloadOnceFor(error);
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <>
        <h1>{isMissingFile(error) ? 'This page could not be loaded' : 'Something went wrong'}</h1>
        <ErrorNotice error={isMissingFile(error) ? notLoaded : error} />
        <Button
          onClick={() => {
            window.location.reload();
          }}
        >
          Reload
        </Button>
      </>
    );
  }
}
