//! Downloads on sockets of the addon's own: script hands over a list, and is told at the end what became
//! of it.

use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use alacrypt_tls::Error;
use alacrypt_tls::fetch::{Fetched, Fetcher, Integrity, Request};
use tokio::task::AbortHandle;

use super::items::Items;
use super::{Client, Fault, copy_start, done};
use crate::job::{Answer, Job};
use crate::scratch::{NO_ID, Status, Word};
use crate::sys::{Call, Outcome};

/// Begins a request: its address.
const URL: u8 = 1;
/// Where the file goes.
const TO: u8 = 2;
/// What it must be (Subresource Integrity).
const INTEGRITY: u8 = 3;
/// The value of the header `Authorization`, and below which path it may be sent.
const AUTHORIZATION: u8 = 4;
const AUTHORIZATION_PATH: u8 = 5;
/// Numbers, as text: downloads at once, milliseconds for each step, repetitions.
const AT_ONCE: u8 = 6;
const PATIENCE: u8 = 7;
const REPETITIONS: u8 = 8;
/// Proxies for `https` and for `http` addresses, and for which hosts there are none.
const HTTPS_PROXY: u8 = 9;
const HTTP_PROXY: u8 = 10;
const NO_PROXY: u8 = 11;

/// A list of downloads.
pub(crate) struct Fetch {
    client: Arc<Client>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    order: Option<Order>,
    under_way: Option<AbortHandle>,
    is_stopped: bool,
    results: String,
}

#[derive(Default)]
struct Order {
    requests: Vec<Wanted>,
    at_once: Option<usize>,
    patience: Option<Duration>,
    repetitions: Option<u32>,
    https_proxy: Option<String>,
    http_proxy: Option<String>,
    no_proxy: String,
}

#[derive(Default)]
struct Wanted {
    url: String,
    to: String,
    integrity: Option<String>,
    authorization: Option<String>,
    authorization_path: Option<String>,
}

impl Order {
    fn parse(bytes: &[u8]) -> Option<Self> {
        let mut order = Self::default();
        for item in Items(bytes) {
            let (kind, value) = item?;
            let text = core::str::from_utf8(value).ok()?.to_owned();
            match kind {
                URL => order.requests.push(Wanted {
                    url: text,
                    ..Wanted::default()
                }),
                TO => order.requests.last_mut()?.to = text,
                INTEGRITY => order.requests.last_mut()?.integrity = Some(text),
                AUTHORIZATION => order.requests.last_mut()?.authorization = Some(text),
                AUTHORIZATION_PATH => order.requests.last_mut()?.authorization_path = Some(text),
                AT_ONCE => order.at_once = Some(text.parse().ok()?),
                PATIENCE => order.patience = Some(Duration::from_millis(text.parse().ok()?)),
                REPETITIONS => order.repetitions = Some(text.parse().ok()?),
                HTTPS_PROXY => order.https_proxy = Some(text),
                HTTP_PROXY => order.http_proxy = Some(text),
                NO_PROXY => order.no_proxy = text,
                _ => return None,
            }
        }
        Some(order)
    }

    fn fetcher(&self, client: alacrypt_tls::Client) -> Result<Fetcher, Error> {
        let mut fetcher = Fetcher::without_environment(client)?.proxies(
            self.https_proxy.as_deref(),
            self.http_proxy.as_deref(),
            &self.no_proxy,
        );
        if let Some(at_once) = self.at_once {
            fetcher = fetcher.at_once(at_once);
        }
        if let Some(patience) = self.patience {
            fetcher = fetcher.patience(patience);
        }
        if let Some(repetitions) = self.repetitions {
            fetcher = fetcher.repetitions(repetitions);
        }
        Ok(fetcher)
    }
}

impl Wanted {
    fn request(&self) -> Result<Request, Error> {
        let mut request = Request::new(&self.url, &self.to);
        if let Some(integrity) = &self.integrity {
            request = request.integrity(Integrity::parse(integrity)?);
        }
        if let Some(authorization) = &self.authorization {
            request = request.authorization(authorization)?;
        }
        if let Some(path) = &self.authorization_path {
            request = request.authorization_path(path);
        }
        Ok(request)
    }
}

impl Fetch {
    /// Does it all; `None` where it was stopped.
    fn run(&self) -> Option<()> {
        let order = self.lock().order.take()?;
        let mut results: Vec<Result<Fetched, Fault>> = Vec::new();
        let mut requests = Vec::new();
        for wanted in &order.requests {
            let request = wanted.request();
            results.push(Err(Fault {
                code: "ERR_INVALID_ARG_VALUE",
                message: request
                    .as_ref()
                    .err()
                    .map(ToString::to_string)
                    .unwrap_or_default(),
            }));
            if let Ok(request) = request {
                requests.push((results.len() - 1, request));
            }
        }
        let places: Vec<usize> = requests.iter().map(|(place, _)| *place).collect();
        let requests = requests.into_iter().map(|(_, request)| request).collect();
        let fetched = self
            .client
            .get()
            .and_then(|client| Ok(order.fetcher(client.clone())?))
            .and_then(|fetcher| self.fetch(fetcher, requests));
        match fetched {
            Ok(fetched) => {
                for (place, one) in places.into_iter().zip(fetched?) {
                    results[place] = one.map_err(Fault::from);
                }
            }
            Err(fault) => {
                for place in places {
                    results[place] = Err(fault.clone());
                }
            }
        }
        self.lock().results = lines(&results);
        Some(())
    }

    fn fetch(
        &self,
        fetcher: Fetcher,
        requests: Vec<Request>,
    ) -> Result<Option<Vec<Result<Fetched, Error>>>, Fault> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Error::Backend(error.to_string()))?;
        let fetcher = Arc::new(fetcher);
        let work = runtime.spawn(async move { fetcher.fetch_all(requests, |_, _| ()).await });
        {
            let mut state = self.lock();
            if state.is_stopped {
                return Ok(None);
            }
            state.under_way = Some(work.abort_handle());
        }
        // It ends without an answer where it was stopped, or panicked.
        let results = runtime.block_on(work).ok();
        // A name that is being looked up is not waited for.
        runtime.shutdown_background();
        Ok(results)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A line for each result: `+`, bytes, from where it went on, whether it was there; or `-`, a code, a
/// message. Tabs are between them.
fn lines(results: &[Result<Fetched, Fault>]) -> String {
    let mut text = String::new();
    for result in results {
        // Writing to a string does not fail.
        let _ = match result {
            Ok(fetched) => writeln!(
                text,
                "+\t{}\t{}\t{}",
                fetched.bytes,
                fetched.resumed_from,
                u8::from(fetched.was_there)
            ),
            Err(Fault { code, message }) => {
                writeln!(text, "-\t{code}\t{}", message.replace(['\n', '\t'], " "))
            }
        };
    }
    text
}

fn fetch_of(call: &Call<'_>) -> Option<Arc<Fetch>> {
    let id = call.scratch.word(Word::Id);
    call.environment.fetches.get(id).map(Arc::clone)
}

/// `tlsFetchNew(order)`: a list of downloads for the client of number `Id`, which must compare names
/// itself; its number in `Id`.
pub(crate) fn new(call: &mut Call<'_>) -> Outcome {
    let client = call
        .environment
        .tls_clients
        .get(call.scratch.word(Word::Id))
        .filter(|client| client.checks_names)
        .map(Arc::clone);
    let order = call
        .take_data_and_room()
        .and_then(|(bytes, _)| Order::parse(bytes));
    let id = client.zip(order).and_then(|(client, order)| {
        call.environment.fetches.insert(Arc::new(Fetch {
            client,
            state: Mutex::new(State {
                order: Some(order),
                ..State::default()
            }),
        }))
    });
    call.scratch.set_word(Word::Id, id.unwrap_or(NO_ID));
    done(id.is_some())
}

/// `tlsFetchJob`: does what the list of number `Id` says, on a thread of its own. Fails where it is
/// stopped.
pub(crate) fn job(call: &mut Call<'_>) -> Option<Job> {
    let fetch = fetch_of(call)?;
    let job = Job::new(&mut [], move |_| {
        Answer::status(match fetch.run() {
            Some(()) => Status::Done,
            None => Status::Failed,
        })
    })?;
    Some(job.on_its_own())
}

/// `tlsFetchStop()`: stops the downloads of the list of number `Id`.
pub(crate) fn stop(call: &mut Call<'_>) -> Outcome {
    let Some(fetch) = fetch_of(call) else {
        return done(false);
    };
    let mut state = fetch.lock();
    state.is_stopped = true;
    if let Some(under_way) = &state.under_way {
        under_way.abort();
    }
    done(true)
}

/// `tlsFetchResults(undefined, out)`: as many of the lines as there is room for; the length of all in
/// `OutputLen`.
pub(crate) fn results(call: &mut Call<'_>) -> Outcome {
    let (Some(fetch), Some((_, out))) = (fetch_of(call), call.take_data_and_room()) else {
        return done(false);
    };
    let len = copy_start(fetch.lock().results.as_bytes(), out);
    call.scratch
        .set_word(Word::OutputLen, u32::try_from(len).unwrap_or(u32::MAX));
    done(true)
}

/// `tlsFetchRelease()`: forgets the list of number `Id`.
pub(crate) fn release(call: &mut Call<'_>) -> Outcome {
    let id = call.scratch.word(Word::Id);
    done(call.environment.fetches.remove(id).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_in_order() {
        let item = |kind: u8, value: &str| {
            let len = u32::try_from(value.len()).unwrap().to_ne_bytes();
            [&[kind], &len[..], value.as_bytes()].concat()
        };
        let list = [
            item(AT_ONCE, "7"),
            item(URL, "https://a"),
            item(TO, "a"),
            item(URL, "https://b"),
            item(INTEGRITY, "sha512-x"),
        ]
        .concat();
        let order = Order::parse(&list).unwrap();
        assert_eq!(order.at_once, Some(7));
        assert_eq!(order.requests[0].to, "a");
        assert_eq!(order.requests[1].integrity.as_deref(), Some("sha512-x"));
        assert!(order.requests[1].request().is_err());
        assert!(Order::parse(&item(TO, "a")).is_none());
        assert!(Order::parse(&item(AT_ONCE, "a")).is_none());
        assert!(Order::parse(&item(99, "a")).is_none());
    }

    #[test]
    fn results_are_lines() {
        let fault = Fault {
            code: "E404",
            message: "not\there\n".into(),
        };
        assert_eq!(lines(&[Err(fault)]), "-\tE404\tnot here \n");
    }
}
