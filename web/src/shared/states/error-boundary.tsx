import { Button } from "@mantine/core";
import { Component, type ReactNode } from "react";

/**
 * Catches an error thrown while its children render, so that the rest of the page keeps working. If a script could not be imported,
 * the app was rebuilt after this page was loaded, and the message says so.
 */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, { readonly thrown: unknown }> {
  override state = { thrown: undefined as unknown };

  static getDerivedStateFromError(thrown: unknown) {
    return { thrown };
  }

  override render(): ReactNode {
    const { thrown } = this.state;
    if (thrown === undefined) return this.props.children;
    const isOld = thrown instanceof TypeError && /import/i.test(thrown.message);
    return (
      <div className="failed" role="alert">
        <p>{isOld ? "This page was built anew since you opened it." : "This part of the page broke."}</p>
        <Button size="xs" variant="default" onClick={() => location.reload()}>
          Reload
        </Button>
      </div>
    );
  }
}
