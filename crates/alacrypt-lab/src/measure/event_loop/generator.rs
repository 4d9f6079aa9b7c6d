//! Open-loop HTTP load: requests are sent when they are due, whatever the server does. Where no
//! connection is free another is opened, so that a slow server cannot slow the load down.

use super::http::{Answer, Progress};
use crate::error::{Error, Result};
use crate::stats::latency::Request;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use nix::sys::socket::{
    AddressFamily, SockFlag, SockType, SockaddrIn, connect, setsockopt, socket, sockopt,
};
use nix::sys::time::TimeSpec;
use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{SocketAddrV4, TcpStream};
use std::os::fd::{AsFd, AsRawFd};
use std::time::{Duration, Instant};

/// Connections that are opened at most.
const MOST_CONNECTIONS: usize = 8192;
/// How often requests are looked at that may be out of time.
const LOOK: Duration = Duration::from_millis(50);

/// What became of one request; times in seconds after the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sent {
    /// Its moments; the end is infinite when no right answer came.
    pub request: Request,
    /// Whether it ran out of time.
    pub timed_out: bool,
}

/// All requests of one run.
#[derive(Debug, Default)]
pub struct Sendings {
    /// In the order in which they were due.
    pub all: Vec<Sent>,
    /// Most requests that waited for a connection at once.
    pub backlog: usize,
    /// Connections that were opened.
    pub connections: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Connecting,
    Idle,
    Busy,
}

struct Connection {
    stream: TcpStream,
    state: State,
    /// The request that it carries.
    carries: usize,
    /// Bytes of the request that were written.
    written: usize,
    answer: Answer,
}

struct Generator<'a> {
    address: SocketAddrV4,
    request: &'a [u8],
    epoll: Epoll,
    connections: Vec<Option<Connection>>,
    free: Vec<usize>,
    idle: Vec<usize>,
    /// Due requests without a connection.
    waiting: VecDeque<usize>,
    open: usize,
    started: Instant,
    out: Sendings,
    unanswered: usize,
    buffer: Vec<u8>,
}

fn refused(what: &str) -> impl Fn(Errno) -> Error {
    let what = what.to_owned();
    move |errno| Error::io(what.clone(), errno.into())
}

/// Sends a GET for `path` at each of the `due` moments (seconds after `started`, ascending) and
/// waits for the answers, at most `timeout` after the moment a request was due. `tick` is called
/// at least every 50 ms; `false` gives up.
///
/// # Errors
/// When the system has no sockets for it.
pub fn send(
    address: SocketAddrV4,
    path: &str,
    due: &[f64],
    timeout: f64,
    started: Instant,
    tick: &mut dyn FnMut() -> bool,
) -> Result<Sendings> {
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: {address}\r\nUser-Agent: alacrypt-lab\r\nAccept: */*\r\n\r\n"
    );
    let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC).map_err(refused("watch sockets"))?;
    let mut generator = Generator {
        address,
        request: request.as_bytes(),
        epoll,
        connections: Vec::new(),
        free: Vec::new(),
        idle: Vec::new(),
        waiting: VecDeque::new(),
        open: 0,
        started,
        out: Sendings::default(),
        unanswered: 0,
        buffer: vec![0; 1 << 16],
    };
    generator.run(due, timeout, tick)?;
    Ok(generator.out)
}

impl Generator<'_> {
    fn now(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    fn run(&mut self, due: &[f64], timeout: f64, tick: &mut dyn FnMut() -> bool) -> Result<()> {
        let mut next = 0;
        let mut looked = Instant::now();
        let mut events = vec![EpollEvent::empty(); 512];
        while next < due.len() || self.unanswered > 0 {
            let mut now = self.now();
            while next < due.len() && due[next] <= now {
                self.dispatch(due[next])?;
                next += 1;
                now = self.now();
            }
            if looked.elapsed() >= LOOK {
                looked = Instant::now();
                self.give_up(now - timeout);
                if !tick() {
                    return Ok(());
                }
            }
            let until = due.get(next).copied().unwrap_or(f64::INFINITY);
            self.wait((until - self.now()).clamp(0.0, LOOK.as_secs_f64()))?;
            let found = self.epoll.wait(&mut events, EpollTimeout::ZERO);
            let n = match found {
                Ok(n) => n,
                Err(Errno::EINTR) => 0,
                Err(errno) => return Err(refused("watch sockets")(errno)),
            };
            for event in &events[..n] {
                let index = usize::try_from(event.data()).unwrap_or(usize::MAX);
                self.ready(index, event.events())?;
            }
        }
        Ok(())
    }

    /// Sleeps until something comes, to the nanosecond: epoll alone counts in milliseconds.
    fn wait(&self, seconds: f64) -> Result<()> {
        let mut fds = [PollFd::new(self.epoll.0.as_fd(), PollFlags::POLLIN)];
        let time = TimeSpec::from_duration(Duration::from_secs_f64(seconds));
        match ppoll(&mut fds, Some(time), None) {
            Ok(_) | Err(Errno::EINTR) => Ok(()),
            Err(errno) => Err(refused("wait for sockets")(errno)),
        }
    }

    /// A request is due: over a free connection, or a new one, or it waits.
    fn dispatch(&mut self, due: f64) -> Result<()> {
        let index = self.out.all.len();
        let request = Request {
            due,
            start: f64::INFINITY,
            end: f64::INFINITY,
        };
        self.out.all.push(Sent {
            request,
            timed_out: false,
        });
        self.unanswered += 1;
        self.waiting.push_back(index);
        while let Some(connection) = self.idle.pop() {
            if self.waiting.is_empty() {
                self.idle.push(connection);
                break;
            }
            self.begin(connection)?;
        }
        if !self.waiting.is_empty() && self.open < MOST_CONNECTIONS {
            self.connect()?;
        }
        // What a connection that is being opened will carry does not wait for a server's slowness.
        self.out.backlog = self.out.backlog.max(self.waiting.len());
        Ok(())
    }

    fn connect(&mut self) -> Result<()> {
        let flags = SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC;
        let made = socket(AddressFamily::Inet, SockType::Stream, flags, None);
        let fd = match made {
            Ok(fd) => fd,
            // No descriptor left: it waits for a connection that becomes free.
            Err(Errno::EMFILE | Errno::ENFILE) if self.open > 0 => return Ok(()),
            Err(errno) => return Err(refused("open a connection")(errno)),
        };
        setsockopt(&fd, sockopt::TcpNoDelay, &true).map_err(refused("open a connection"))?;
        match connect(fd.as_raw_fd(), &SockaddrIn::from(self.address)) {
            Ok(()) | Err(Errno::EINPROGRESS) => {}
            // Refused: the request that wanted it has no answer.
            Err(_) => {
                if let Some(index) = self.waiting.pop_front() {
                    self.answered(index, f64::INFINITY, false);
                }
                return Ok(());
            }
        }
        let slot = self.free.pop().unwrap_or_else(|| {
            self.connections.push(None);
            self.connections.len() - 1
        });
        let interest = EpollFlags::EPOLLIN | EpollFlags::EPOLLOUT | EpollFlags::EPOLLET;
        let event = EpollEvent::new(interest | EpollFlags::EPOLLRDHUP, slot as u64);
        self.epoll
            .add(&fd, event)
            .map_err(refused("watch a connection"))?;
        self.connections[slot] = Some(Connection {
            stream: TcpStream::from(fd),
            state: State::Connecting,
            carries: usize::MAX,
            written: 0,
            answer: Answer::default(),
        });
        self.open += 1;
        self.out.connections += 1;
        Ok(())
    }

    /// Lets a connection carry the request that waits longest.
    fn begin(&mut self, slot: usize) -> Result<()> {
        let Some(index) = self.waiting.pop_front() else {
            self.idle.push(slot);
            return Ok(());
        };
        let now = self.now();
        let Some(connection) = self.connections[slot].as_mut() else {
            self.waiting.push_front(index);
            return Ok(());
        };
        connection.state = State::Busy;
        connection.carries = index;
        connection.written = 0;
        self.out.all[index].request.start = now;
        self.write(slot)
    }

    fn write(&mut self, slot: usize) -> Result<()> {
        let Some(connection) = self.connections[slot].as_mut() else {
            return Ok(());
        };
        while connection.written < self.request.len() {
            match connection.stream.write(&self.request[connection.written..]) {
                Ok(n) if n > 0 => connection.written += n,
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                // The edge tells when it goes on.
                Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => return Ok(()),
                _ => return self.lose(slot),
            }
        }
        Ok(())
    }

    /// A connection is of no more use; the request it carried has no answer.
    fn lose(&mut self, slot: usize) -> Result<()> {
        if let Some(connection) = self.connections[slot].take() {
            self.open -= 1;
            self.free.push(slot);
            if connection.state == State::Busy {
                self.answered(connection.carries, f64::INFINITY, false);
            } else if connection.state == State::Connecting {
                // It was opened for the request that waits longest.
                if let Some(index) = self.waiting.pop_front() {
                    self.answered(index, f64::INFINITY, false);
                }
            } else {
                self.idle.retain(|idle| *idle != slot);
            }
        }
        Ok(())
    }

    fn answered(&mut self, index: usize, end: f64, timed_out: bool) {
        let sent = &mut self.out.all[index];
        sent.request.end = end;
        sent.timed_out = timed_out;
        self.unanswered -= 1;
    }

    fn ready(&mut self, slot: usize, events: EpollFlags) -> Result<()> {
        let Some(connection) = self.connections.get_mut(slot).and_then(Option::as_mut) else {
            return Ok(());
        };
        if connection.state == State::Connecting {
            if !events.contains(EpollFlags::EPOLLOUT) && !events.contains(EpollFlags::EPOLLERR) {
                return Ok(());
            }
            if !matches!(connection.stream.take_error(), Ok(None)) {
                return self.lose(slot);
            }
            connection.state = State::Idle;
            return self.begin(slot);
        }
        if connection.state == State::Busy && connection.written < self.request.len() {
            self.write(slot)?;
        }
        self.read(slot)
    }

    fn read(&mut self, slot: usize) -> Result<()> {
        loop {
            let now = self.now();
            let Some(connection) = self.connections[slot].as_mut() else {
                return Ok(());
            };
            let progress = match connection.stream.read(&mut self.buffer) {
                Ok(0) if connection.state == State::Busy => match connection.answer.closed() {
                    Progress::Done { status, .. } => Progress::Done {
                        status,
                        reusable: false,
                    },
                    _ => return self.lose(slot),
                },
                Ok(0) => return self.lose(slot),
                // Bytes that nothing asked for.
                Ok(_) if connection.state != State::Busy => return self.lose(slot),
                Ok(n) => connection.answer.feed(&self.buffer[..n]),
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => return Ok(()),
                Err(_) => return self.lose(slot),
            };
            match progress {
                Progress::More => {}
                Progress::Malformed => return self.lose(slot),
                Progress::Done { status, reusable } => {
                    let index = connection.carries;
                    connection.state = State::Idle;
                    let right = (200..400).contains(&status);
                    self.answered(index, if right { now } else { f64::INFINITY }, false);
                    if !reusable {
                        return self.lose(slot);
                    }
                    return self.begin(slot);
                }
            }
        }
    }

    /// Requests that were due before `since` have had their time.
    fn give_up(&mut self, since: f64) {
        for slot in 0..self.connections.len() {
            let late = self.connections[slot].as_ref().is_some_and(|connection| {
                connection.state == State::Busy
                    && self.out.all[connection.carries].request.due < since
            });
            if late && let Some(connection) = self.connections[slot].take() {
                self.open -= 1;
                self.free.push(slot);
                self.answered(connection.carries, f64::INFINITY, true);
            }
        }
        while let Some(&index) = self.waiting.front()
            && self.out.all[index].request.due < since
        {
            self.waiting.pop_front();
            self.answered(index, f64::INFINITY, true);
        }
    }
}
