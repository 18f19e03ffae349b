import { join } from 'node:path';
import * as z from 'zod/mini';
import type { Client, ClientTransport } from '@modelcontextprotocol/sdk/client/index.js';
import type { Caller } from './caller';
import { SAMPLE_ARGS } from './sample-call';
import { startChild } from './start-child';

/** An MCP client in this process, and its server over streamable HTTP. */
export async function mcpHttpCaller(): Promise<Caller> {
  const { child, ready } = await startChild('mcp-http');
  if (ready === 'attached') throw new Error('The MCP server did not say where it listens.');
  const url = new URL(`http://127.0.0.1:${ready.port}/mcp`);
  const client = await connectClient(async () => {
    const sdk = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
    // The transport's signal would collect a listener per request, and Node warns about each of
    // them.
    const plain: typeof fetch = (to, init) => fetch(to, { ...init, signal: null });
    return new sdk.StreamableHTTPClientTransport(url, { fetch: plain });
  });
  return {
    call: () => callTool(client, 'tasks', SAMPLE_ARGS),
    close: async () => {
      await client.close();
      child.disconnect();
    },
  };
}

/** An MCP client in this process, and its server over standard input and output. */
export async function mcpStdioCaller(): Promise<Caller> {
  const client = await startMcpClient([join(import.meta.dirname, 'mcp-stdio-child.mjs')]);
  return { call: () => callTool(client, 'tasks', SAMPLE_ARGS), close: () => client.close() };
}

/** Connects to an MCP server that Node runs. @param args arguments of Node */
export async function startMcpClient(args: readonly string[]): Promise<Client> {
  return connectClient(async () => {
    const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
    return new StdioClientTransport({ command: process.execPath, args });
  });
}

/**
 * Our schemas are never compiled; those of the SDK are built with compilation on, as they would be
 * without us.
 */
async function connectClient(open: () => Promise<ClientTransport>): Promise<Client> {
  z.config({ jitless: false });
  try {
    const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
    const client = new Client({ name: 'bench', version: '1.0.0' });
    await client.connect(await open());
    await client.listTools();
    return client;
  } finally {
    z.config({ jitless: true });
  }
}

export async function callTool(client: Client, name: string, args: object): Promise<unknown> {
  const answer = await client.callTool({ name, arguments: args });
  if (answer.isError === true) throw new Error(`The MCP server refused the call of ${name}.`);
  return answer;
}
