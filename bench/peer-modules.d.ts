/** The parts that the benchmark uses of packages that are installed only when it first runs. */

declare module 'graphology' {
  export interface DirectedGraph {
    addNode(key: string): void;
    addEdge(from: string, to: string): void;
    inNeighbors(key: string): string[];
    outNeighbors(key: string): string[];
  }
  const graphology: { DirectedGraph: new () => DirectedGraph };
  export default graphology;
}

declare module 'graphology-dag' {
  const dag: {
    hasCycle(graph: unknown): boolean;
    topologicalSort(graph: unknown): string[];
  };
  export default dag;
}

declare module '@dagrejs/graphlib' {
  export class Graph {
    setNode(key: string): void;
    setEdge(from: string, to: string): void;
    predecessors(key: string): string[] | undefined;
    successors(key: string): string[] | undefined;
  }
  export const alg: {
    isAcyclic(graph: Graph): boolean;
    topsort(graph: Graph): string[];
  };
}

declare module 'mdast-util-from-markdown' {
  export function fromMarkdown(text: string): { children: readonly unknown[] };
}

declare module 'gpt-tokenizer/encoding/o200k_base' {
  export function encode(text: string): readonly number[];
}

declare module '@modelcontextprotocol/sdk/client/index.js' {
  /** transport of an MCP client */
  export interface ClientTransport {
    close(): Promise<void>;
  }
  export class Client {
    constructor(self: { name: string; version: string });
    connect(transport: ClientTransport): Promise<void>;
    listTools(): Promise<unknown>;
    callTool(call: { name: string; arguments: object }): Promise<{ isError?: boolean }>;
    close(): Promise<void>;
  }
}

declare module '@modelcontextprotocol/sdk/client/stdio.js' {
  export class StdioClientTransport {
    constructor(program: { command: string; args: readonly string[] });
    close(): Promise<void>;
  }
}

declare module '@modelcontextprotocol/sdk/client/streamableHttp.js' {
  export class StreamableHTTPClientTransport {
    constructor(url: URL, options: { fetch: typeof fetch });
    close(): Promise<void>;
  }
}

declare module '@modelcontextprotocol/sdk/server/mcp.js' {
  import type * as z from 'zod/mini';
  export class McpServer {
    constructor(self: { name: string; version: string });
    registerTool<Shape extends z.core.$ZodShape>(
      name: string,
      config: { description: string; inputSchema: Shape },
      run: (input: z.infer<z.ZodMiniObject<Shape>>) => {
        content: { type: 'text'; text: string }[];
      },
    ): void;
    connect(transport: object): Promise<void>;
    close(): Promise<void>;
  }
}

declare module '@modelcontextprotocol/sdk/server/stdio.js' {
  export class StdioServerTransport {}
}

declare module '@modelcontextprotocol/sdk/server/streamableHttp.js' {
  import type { IncomingMessage, ServerResponse } from 'node:http';
  export class StreamableHTTPServerTransport {
    constructor(options: { sessionIdGenerator: () => string });
    handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void>;
  }
}
