import { join } from 'node:path';
import * as z from 'zod/mini';
import type { Client, ClientTransport } from '@modelcontextprotocol/sdk/client/index.js';
import type { Caller } from './caller';
import { SAMPLE_ARGS } from './sample-call';
import { startChild } from './start-child';

/** An MCP client here, and its server over streamable HTTP. */
export async function mcpHttpCaller(): Promise<Caller> {
  const { child, ready } = await startChild('mcp-http');
  if (ready === 'attached') throw new Error('The MCP server did not say where it listens.');
  const url = new URL(`http://127.0.0.1:${ready.port}/mcp`);
  const client = await connected(async () => {
    const sdk = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
    // Its own signal would gather a listener with each request, and Node warns of every one.
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

/** An MCP client here, and its server over standard input and output. */
export async function mcpStdioCaller(): Promise<Caller> {
  const client = await mcpProgram([join(import.meta.dirname, 'mcp-stdio-child.mjs')]);
  return { call: () => callTool(client, 'tasks', SAMPLE_ARGS), close: () => client.close() };
}

/** A client of a server that Node runs. @param args of Node */
export async function mcpProgram(args: readonly string[]): Promise<Client> {
  return connected(async () => {
    const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
    return new StdioClientTransport({ command: process.execPath, args });
  });
}

/** Our schemas are never compiled; those of the SDK are made as they are without us. */
async function connected(open: () => Promise<ClientTransport>): Promise<Client> {
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
