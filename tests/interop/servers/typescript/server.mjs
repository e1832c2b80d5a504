// MCP test server on the official TypeScript SDK: tools, a prompt and a resource that ask, in both eras.
//
// What asks is written once, in rounds. A client of 2026-07-28 gets every round as a result; with an older one, which
// began with `initialize`, the SDK asks by `elicitation/create` and goes through the rounds by itself.
// requestState is signed with the SDK's own codec, so the tools see the payload they minted; only `odd_state` sends
// values outside that codec. What the client sent is found unchanged in the file named by --log.
// Nothing here decides whether an answer is right.

import { randomBytes, randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { appendFileSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Transform } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node';
import {
    createMcpHandler,
    createRequestStateCodec,
    fromJsonSchema,
    inputRequired,
    isLegacyRequest,
    McpServer,
    UrlElicitationRequiredError,
    WebStandardStreamableHTTPServerTransport
} from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';

const LOGGED_METHODS = new Set(['tools/call', 'prompts/get', 'resources/read']);
const ODD_STATES = { empty: '', absent: undefined, large: '0123456789'.repeat(20_000), odd: ' a\u00e9\u2028=+/ ' };
const FORMS = JSON.parse(readFileSync(new URL('../forms.json', import.meta.url), 'utf8'));

const codec = createRequestStateCodec({ key: randomBytes(32) });
const tickets = new Set();
const visited = new Set();
const visits = new EventEmitter();
const needed = [];
const sessions = new Map();
const sharedTicket = newTicket();
let pagePort;
let logFile;

async function main() {
    const { values } = parseArgs({
        options: { http: { type: 'string' }, stdio: { type: 'boolean' }, log: { type: 'string' } }
    });
    if (Boolean(values.stdio) === (values.http !== undefined)) throw new Error('give either --http PORT or --stdio');
    logFile = values.log;
    pagePort = await listen(createServer(answerPage).unref(), 0);
    if (values.stdio) {
        serveStdio(newPeer, { transport: new StdioServerTransport(process.stdin.pipe(recordLines()), process.stdout) });
    } else {
        const port = await listen(createServer(recordingHandler()), Number(values.http));
        console.log(`listening on http://127.0.0.1:${port}/mcp`);
    }
}

function newPeer() {
    const peer = new McpServer(
        { name: 'typescript-peer', version: '1.0.0' },
        { requestState: { verify: (state, ctx) => (isOdd(state) ? undefined : codec.verify(state, ctx)) } }
    );

    const tool = (name, description, inputs, answer) => {
        const inputSchema = fromJsonSchema({ type: 'object', ...inputs });
        peer.registerTool(name, { description, inputSchema }, answer);
    };

    tool('ask_form', 'Asks one form and tells what came back.', { properties: { topic: { type: 'string' } }, required: ['topic'] }, (args, ctx) => {
        const answer = answers(ctx).details;
        if (answer === undefined) {
            return ask({ details: form(`Details about ${args.topic}`, 'details') }, { topic: args.topic });
        }
        return text({ ...answer, params: args, state: remembered(ctx) });
    });

    tool('ask_every_field', 'Asks one form with every kind of field.', {}, (_, ctx) => {
        const answer = answers(ctx).fields;
        return answer === undefined ? ask({ fields: form('Every kind of field', 'every_field') }, {}) : text(answer);
    });

    tool('ask_link', 'Asks to open a page and asks again until the page was opened.', {}, (_, ctx) => {
        const known = remembered(ctx) ?? { ticket: newTicket(), answers: 0 };
        const answer = answers(ctx).page;
        if (answer !== undefined) {
            known.answers += 1;
            if (visited.has(known.ticket)) return text({ visited: true, answers: known.answers });
            if (answer.action !== 'accept') return text({ visited: false, answers: known.answers, action: answer.action });
        }
        return ask({ page: link('Open the page', known.ticket) }, known);
    });

    tool('two_forms_and_link', 'Asks two forms and a link at once, without requestState.', {}, (_, ctx) => {
        const requests = {
            form_a: form('Which colour?', 'colour'),
            form_b: form('How much?', 'amount'),
            link: link('Read the terms', sharedTicket)
        };
        if (!Object.keys(requests).every(key => key in answers(ctx))) return ask(requests);
        return text(answers(ctx));
    });

    tool('form_link_form', 'Asks a form, then a link, then a form.', {}, (_, ctx) => {
        const known = remembered(ctx) ?? { ticket: newTicket(), seen: [] };
        if (Object.keys(answers(ctx)).length > 0) known.seen.push(answers(ctx));
        const rounds = [
            { first: form('Which colour?', 'colour') },
            { second: link('Read the terms', known.ticket) },
            { third: form('How much?', 'amount') }
        ];
        return known.seen.length < rounds.length ? ask(rounds[known.seen.length], known) : text(known.seen);
    });

    const which = { type: 'string', enum: Object.keys(ODD_STATES) };
    tool('odd_state', 'Asks one form with an unusual requestState.', { properties: { which }, required: ['which'] }, (args, ctx) => {
        const sent = ODD_STATES[args.which];
        if (Object.keys(answers(ctx)).length === 0) {
            return inputRequired({ inputRequests: { confirm: form('Go on?', 'confirm') }, requestState: sent });
        }
        const received = ctx.mcpReq.requestState();
        return text({ same: received === sent, present: received !== undefined });
    });

    tool('state_only', 'Sends the client round once without asking anything.', {}, (_, ctx) =>
        remembered(ctx) === undefined ? ask(undefined, { round: 1 }) : text('done')
    );

    const what = { type: 'string', enum: ['sampling', 'roots'] };
    tool('ask_undeclared', 'Asks for sampling or roots, whether the client can or not.', { properties: { what }, required: ['what'] }, (args, ctx) => {
        const answer = answers(ctx).other;
        if (answer !== undefined) return text(answer);
        const messages = [{ role: 'user', content: { type: 'text', text: 'Say something.' } }];
        const other = args.what === 'roots' ? inputRequired.listRoots() : inputRequired.createMessage({ messages, maxTokens: 10 });
        return ask({ other }, {});
    });

    tool('link_complete', 'Before 2026-07-28: asks to open a page, waits until it was opened, says so, and asks whether to go on.', {}, async (_, ctx) => {
        const ticket = newTicket();
        // Without the id of the call, over HTTP this goes out on the stream that the client opened with GET.
        const answer = await ctx.mcpReq.elicitInput(link('Open the page', ticket, ticket).params);
        if (answer.action === 'accept') {
            while (!visited.has(ticket)) await once(visits, 'visit');
            await ctx.mcpReq.notify({ method: 'notifications/elicitation/complete', params: { elicitationId: ticket } });
        }
        const confirm = await ctx.mcpReq.elicitInput(form('Go on?', 'confirm').params);
        return text({ page: answer, confirm });
    });

    const links = { type: 'integer' };
    tool('needs_links', 'Before 2026-07-28: refuses with -32042 until so many pages were opened, then works once.', { properties: { links }, required: ['links'] }, args => {
        if (needed.length === 0) needed.push(...Array.from({ length: args.links }, newTicket));
        const closed = needed.filter(ticket => !visited.has(ticket));
        if (closed.length > 0) {
            throw new UrlElicitationRequiredError(closed.map(ticket => link('Read the terms', ticket, ticket).params), 'Links must be opened first');
        }
        needed.length = 0;
        return text({ links: args.links });
    });

    tool('slow', 'Reports its progress in four steps.', { properties: { seconds: { type: 'number' } } }, async ({ seconds = 1 }, ctx) => {
        const progressToken = ctx.mcpReq._meta?.progressToken;
        for (let step = 0; step < 4; step += 1) {
            if (progressToken !== undefined) {
                const params = { progressToken, progress: step, total: 4, message: `step ${step}` };
                await ctx.mcpReq.notify({ method: 'notifications/progress', params });
            }
            await pause(seconds * 250, undefined, { signal: ctx.mcpReq.signal });
        }
        return text('done');
    });

    peer.registerPrompt('ask_prompt', { description: 'Asks one form, then holds the answer.' }, ctx => {
        const answer = answers(ctx).colour;
        if (answer === undefined) return ask({ colour: form('Which colour?', 'colour') }, { prompt: 'ask_prompt' });
        return { messages: [{ role: 'user', content: { type: 'text', text: JSON.stringify(answer) } }] };
    });

    peer.registerResource('confirm', 'ask://confirm', { mimeType: 'application/json' }, (uri, ctx) => {
        const answer = answers(ctx).confirm;
        if (answer === undefined) return ask({ confirm: form('Read confirm?', 'confirm') }, { resource: uri.href });
        return { contents: [{ uri: uri.href, mimeType: 'application/json', text: JSON.stringify(answer) }] };
    });

    return peer;
}

// `payload` becomes a fresh requestState, `undefined` leaves it out.
async function ask(inputRequests, payload) {
    const requestState = payload && (await codec.mint({ ...payload, nonce: randomBytes(8).toString('hex') }));
    return inputRequired({ inputRequests, requestState });
}

function form(message, name) {
    return inputRequired.elicit({ message, requestedSchema: FORMS[name] });
}

// An id is what older revisions have.
function link(message, ticket, elicitationId) {
    const request = inputRequired.elicitUrl({ message, url: `http://127.0.0.1:${pagePort}/page?ticket=${ticket}` });
    if (elicitationId !== undefined) request.params.elicitationId = elicitationId;
    return request;
}

// The bare results; the SDK has left out entries that do not look like one.
function answers(ctx) {
    return ctx.mcpReq.inputResponses ?? {};
}

function remembered(ctx) {
    const payload = ctx.mcpReq.requestState();
    if (payload === undefined) return undefined;
    if (typeof payload === 'string') throw new Error('requestState of another tool');
    const { nonce, ...rest } = payload;
    return rest;
}

function text(value) {
    return { content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }] };
}

// The codec's own values begin with its version; everything else belongs to `odd_state`.
function isOdd(state) {
    return !state.startsWith('v1.');
}

function newTicket() {
    const ticket = randomBytes(8).toString('hex');
    tickets.add(ticket);
    return ticket;
}

// Pages behind the links; a ticket counts as visited after a GET.
function answerPage(request, response) {
    log({ kind: 'page', verb: request.method, path: request.url });
    const address = new URL(request.url, 'http://127.0.0.1');
    const ticket = address.searchParams.get('ticket');
    const found = request.method === 'GET' && address.pathname === '/page' && tickets.has(ticket);
    if (found) {
        visited.add(ticket);
        visits.emit('visit');
    }
    response.writeHead(found ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' });
    response.end(found ? '<!doctype html><title>Done</title><p>You can close this page.' : '');
}

function recordingHandler() {
    const handler = createMcpHandler(newPeer, { legacy: 'reject' });
    const recorded = async (request, options) => {
        logRequest(await request.clone().text(), Object.fromEntries(request.headers));
        return (await isLegacyRequest(request)) ? serveSession(request) : handler.fetch(request, options);
    };
    const serve = toNodeHandler({ fetch: recorded });
    const hostIsLocal = localhostHostValidation();
    const originIsLocal = localhostOriginValidation();
    return (request, response) => {
        if (!hostIsLocal(request, response) || !originIsLocal(request, response)) return;
        if (request.url !== '/mcp') {
            response.writeHead(404).end();
            return;
        }
        serve(request, response);
    };
}

// Without a session the SDK could not ask: answers come in requests of their own.
async function serveSession(request) {
    const id = request.headers.get('mcp-session-id');
    if (id !== null) return sessions.get(id)?.handleRequest(request) ?? new Response(null, { status: 404 });
    const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: id => sessions.set(id, transport),
        onsessionclosed: id => sessions.delete(id)
    });
    await newPeer().connect(transport);
    return transport.handleRequest(request);
}

function recordLines() {
    let begun = Buffer.alloc(0);
    return new Transform({
        transform(chunk, _, pass) {
            begun = Buffer.concat([begun, chunk]);
            for (let end = begun.indexOf(10); end >= 0; end = begun.indexOf(10)) {
                logRequest(begun.subarray(0, end).toString('utf8'), null);
                begun = begun.subarray(end + 1);
            }
            pass(null, chunk);
        }
    });
}

// `raw` is the message as it came; what is not one of the logged methods is left to the SDK.
function logRequest(raw, headers) {
    let message;
    try {
        message = JSON.parse(raw);
    } catch {
        return;
    }
    if (!LOGGED_METHODS.has(message?.method)) return;
    log({ kind: 'request', method: message.method, id: message.id, params: message.params, headers, raw: raw.trim() });
}

function log(line) {
    if (logFile !== undefined) appendFileSync(logFile, `${JSON.stringify(line)}\n`);
}

function listen(server, port) {
    return new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, '127.0.0.1', () => resolve(server.address().port));
    });
}

await main();
