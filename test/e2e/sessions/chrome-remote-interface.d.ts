/** As much of the client as the tests use; its package has no types of its own. */
declare module "chrome-remote-interface" {
  import type { Protocol } from "devtools-protocol";

  interface Client {
    Browser: { getVersion(): Promise<Protocol.Browser.GetVersionResponse> };
    Page: {
      enable(): Promise<void>;
      navigate(request: Protocol.Page.NavigateRequest): Promise<Protocol.Page.NavigateResponse>;
      loadEventFired(): Promise<Protocol.Page.LoadEventFiredEvent>;
    };
    Runtime: { evaluate(request: Protocol.Runtime.EvaluateRequest): Promise<Protocol.Runtime.EvaluateResponse> };
    close(): Promise<void>;
  }

  export default function connect(options: { target: string; local: boolean }): Promise<Client>;
}
